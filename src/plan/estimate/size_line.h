// Sizes of graphs in one order. A size has two numbers; a stage of a graph neural network moves a vector of features
// for every node or for every edge, so what orders sizes is their rows: nodes + edges.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plan/gnn/edge_list.h"

namespace takt {

/// nodes + edges.
inline std::int64_t rows_of(const GraphSize& size) { return size.nodes + size.edges; }

std::string size_text(const GraphSize& size);  ///< "1000 nodes and 5000 edges"

/// By rows. Throws Error(bad_input) for two with as many rows, a size that is there twice among them.
std::vector<GraphSize> in_order_of_rows(std::vector<GraphSize> sizes);
/// The same refusal where rows do not grow from one to the next.
void check_rows_grow(const std::vector<GraphSize>& sizes);

/// `part` of the way from one size to another, rounded to whole nodes and edges.
GraphSize size_between(const GraphSize& from, const GraphSize& to, double part);

/// `count` sizes, two or more, on the straight line from one to another, both included, whose rows grow by the same
/// factor each; fewer where the line has no more. Throws Error(bad_input) where the last has no more rows.
std::vector<GraphSize> sizes_between(const GraphSize& from, const GraphSize& to, int count);

/// A line through sizes, straight from each to the next, step by step: of two steps that follow each other, no number
/// differs by more than 1.
class SizeLine {
 public:
  explicit SizeLine(const std::vector<GraphSize>& corners);  ///< one or more
  std::int64_t steps() const { return corners_.back().first; }
  GraphSize at(std::int64_t step) const;   ///< from 0 to steps()
  GraphSize with_rows(double rows) const;  ///< of lines whose rows grow; beyond the ends, the end

 private:
  std::vector<std::pair<std::int64_t, GraphSize>> corners_;  ///< by step
};

}  // namespace takt
