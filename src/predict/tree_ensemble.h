// Trees of decisions as flat arrays: the form in which a prediction takes about a microsecond.
//
// XGBoost trains them and writes them as JSON; takt reads that file and needs no XGBoost to predict. All trees lie in
// one array of 16-byte nodes, the children of a node side by side, so that a step is one load and one comparison.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace takt {

/// Immutable after reading; prediction is thread-safe.
class TreeEnsemble {
 public:
  /// The base score plus a leaf of each tree. NaN among the features is a missing value. As many features as it was
  /// read for.
  double predict(std::span<const float> features) const;
  /// The same of many rows of as many features each, one after the other. Tree by tree, so that a tree's nodes stay in
  /// the nearest cache for all rows.
  std::vector<double> predict_rows(std::span<const float> rows) const;

  std::size_t trees() const { return roots_.size(); }
  std::size_t nodes() const { return nodes_.size(); }
  std::size_t features() const { return features_; }

 private:
  double leaf(std::int32_t root, const float* features) const;

  friend TreeEnsemble parse_trees(std::string_view, std::string_view, std::size_t);

  struct Node {
    std::int32_t feature = -1;  ///< −1: a leaf
    float value = 0;            ///< of a leaf its score, else what the feature is compared with: below goes left
    std::int32_t left = 0;      ///< the right child is the next one
    bool missing_goes_left = false;
  };
  std::vector<Node> nodes_;
  std::vector<std::int32_t> roots_;
  std::size_t features_ = 0;
  double base_ = 0;
};

/// Reads a model of XGBoost in its JSON form (save_model("x.json")): regression trees with numeric splits and one
/// output. Throws Error(bad_input) that begins with `where` for anything else, for features beyond `features`, and for
/// nodes that make no tree.
TreeEnsemble parse_trees(std::string_view json, std::string_view where, std::size_t features);

}  // namespace takt
