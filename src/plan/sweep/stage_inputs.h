// The values that stages are measured with: a graph of the wanted kind, and features on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/graph/graph.h"
#include "model/runtime/runtime.h"
#include "plan/gnn/edge_list.h"
#include "plan/gnn/network.h"

namespace takt {

/// What the measured graphs are like: how fast sums over edges are depends on how the edges are spread.
struct SweepGraph {
  std::string kind = "uniform";  ///< "uniform", "power-law" (random_edges.h), or the path of an edge list
  std::uint64_t seed = 42;       ///< of the edges, where they are drawn, and of the features

  bool is_drawn() const { return kind == "uniform" || kind == "power-law"; }
};

/// A drawn graph of this size; the edge list of a file as it is. Throws Error(io, bad_input) as read_edge_list.
EdgeList edges_of(const SweepGraph& graph, const GraphSize& size);

/// Values for the inputs of a range's model, by name, as many as `wanted` asks for: features in [-1, 1), counts of 1 to
/// 8, the graph's edges. `features` before and after the layer.
std::vector<HostTensor> stage_inputs(const StageRange& range, const std::vector<Port>& wanted, const EdgeList& edges,
                                     std::int64_t features, std::uint64_t seed);

}  // namespace takt
