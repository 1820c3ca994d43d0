// The dependency graph between operators.
#pragma once

#include <vector>

#include "model/graph/graph.h"

namespace takt {

/// Indices into graph.ops. An operator that feeds a subgraph of another is its
/// producer.
struct Dag {
  std::vector<std::vector<int>> producers;  ///< per op, ascending, without repeats
  std::vector<std::vector<int>> consumers;
};

Dag build_dag(const Graph& graph);

/// By operator, every tensor of the graph that it reads, itself or from within its bodies: ascending, each once.
std::vector<std::vector<TensorId>> read_tensors(const Graph& graph);

}  // namespace takt
