// A graph in parts that compute side by side: every part has some of the nodes, with all edges that lead to them.
//
// So each sum over the edges of a node is made in one place, and results are put together by laying rows behind each
// other. What a part's edges read may be rows of any node: those come with it, behind its own ("halo"). Parts get edges
// by their shares, not nodes: where few nodes have most edges, equal numbers of nodes are anything but equal work.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/gnn/edge_list.h"

namespace takt {

struct GraphPart {
  std::int64_t first = 0, end = 0;  ///< its own nodes
  std::vector<std::int64_t> edges;  ///< numbers of the edges that lead to them, ascending
  std::vector<std::int64_t> rows;   ///< nodes whose rows it reads: its own, then others, each in ascending order
  EdgeList local;                   ///< the same edges between places in `rows`

  std::int64_t own() const { return end - first; }
  GraphSize size() const { return {own(), static_cast<std::int64_t>(edges.size())}; }
};

/// One part per share, above 0 and 1 in all, over nodes that follow each other. Of the borders with the best share of
/// edges that with the best share of nodes. Takes O(parts · nodes + edges). Throws Error(bad_input) where a part would
/// have no node or no edge.
std::vector<GraphPart> parts_of(const EdgeList& graph, const std::vector<double>& shares);

}  // namespace takt
