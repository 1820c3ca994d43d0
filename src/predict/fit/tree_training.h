// Trees trained by XGBoost: boosting, and its mode that makes random forests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace takt {

/// Rows of equal length, one after the other.
struct FeatureMatrix {
  std::size_t columns = 0;
  std::vector<float> values;  ///< NaN: missing

  std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
  std::span<const float> row(std::size_t number) const { return {values.data() + number * columns, columns}; }
};

enum class TreeKind {
  boosting,  ///< many small trees, each correcting the sum of those before
  forest,    ///< large trees of resampled rows, their mean
};

struct TreeSettings {
  TreeKind kind = TreeKind::boosting;
  int trees = 300;         ///< more follow the data closer; a forest has enough at 100
  int depth = 6;           ///< of boosting; forests grow deeper trees
  double learning = 0.06;  ///< share of its correction that each tree of boosting is granted
  std::uint64_t seed = 1;
};

/// Whether this binary has XGBoost.
bool can_train_trees();

/// The model in XGBoost's JSON form, for parse_trees(); least squares on `targets`, one per row, at least one. The same
/// bytes for the same input; uses one thread. Throws Error(unsupported) in a binary without XGBoost, with what to do.
std::string train_trees(const FeatureMatrix& rows, std::span<const float> targets, std::span<const float> weights,
                        const TreeSettings& settings);

}  // namespace takt
