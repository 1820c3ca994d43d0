// Trees of decisions as flat arrays: the form in which a prediction takes about a microsecond.
//
// XGBoost trains them and writes them as JSON; takt reads that file and needs no XGBoost to predict. All trees lie in
// one array of 16-byte nodes, the children of a node side by side. A step waits for a node from the cache, and which
// way it goes cannot be guessed; so several rows go down a tree together, each step of one while the others' nodes are
// on their way, and no step is a branch. For that every row is written down twice, a missing value once as one that
// lies below everything and once as one above; a node reads the half in which missing values go its way. Leaves lead to
// themselves, by a last value that is below everything.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace takt {

/// Immutable after reading; prediction is thread-safe.
class TreeEnsemble {
 public:
  TreeEnsemble() = default;
  explicit TreeEnsemble(std::size_t features) : features_(features) {}  ///< of no trees

  /// The base score plus a leaf of each tree. NaN among the features is a missing value. As many features as it was
  /// read for.
  double predict(std::span<const float> features) const;
  /// The same of many rows of as many features each, one after the other.
  std::vector<double> predict_rows(std::span<const float> rows) const;

  std::size_t trees() const { return roots_.size(); }
  std::size_t nodes() const { return nodes_.size(); }
  std::size_t features() const { return features_; }

 private:
  friend TreeEnsemble parse_trees(std::string_view, std::string_view, std::size_t);
  friend class TreeNodes;  // packed_trees.h

  struct Node {
    std::int32_t place = 0;  ///< in a row that is written down twice
    float limit = 0;         ///< below goes left
    std::int32_t left = 0;   ///< the right child is the next one; of a leaf itself
    float score = 0;         ///< of a leaf
  };
  std::size_t places_of_row() const { return 2 * features_ + 1; }
  std::vector<float> written_twice(std::span<const float> rows, std::size_t count) const;
  template <std::size_t count>
  void go_down(std::array<std::int32_t, count>& at, const float* rows, std::size_t stride) const;
  double score_at(std::int32_t leaf) const;
  double sum_of_row(const float* row) const;

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
