// The dependency graph between operators, and its export for Graphviz and as JSON.
#pragma once

#include <string>
#include <vector>

#include "model/graph/graph.h"

namespace takt {

/// Edge from producer to consumer; indices into graph.ops. An operator that feeds a subgraph of another is its
/// producer.
struct Dag {
  struct Edge {
    int from = 0, to = 0;
    TensorId tensor = no_tensor;
  };
  std::vector<Edge> edges;                  ///< ordered by (to, from)
  std::vector<std::vector<int>> producers;  ///< per op, ascending, without repeats
  std::vector<std::vector<int>> consumers;
};

Dag build_dag(const Graph& graph);

/// By operator, every tensor of the graph that it reads, itself or from within its bodies: ascending, each once.
std::vector<std::vector<TensorId>> read_tensors(const Graph& graph);

std::string to_graphviz(const Graph& graph, const Dag& dag);
std::string to_json(const Graph& graph, const Dag& dag);

}  // namespace takt
