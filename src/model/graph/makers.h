// Which operator makes a tensor.
#pragma once

#include <unordered_map>

#include "model/graph/graph.h"

namespace takt {

/// By tensor; inputs and constants of the graph are in none. Refers to the graph, which must outlive it.
using Makers = std::unordered_map<TensorId, const Op*>;

inline Makers makers_of(const Graph& graph) {
  Makers makers;
  for (const Op& op : graph.ops)
    for (const TensorId output : op.outputs)
      if (output != no_tensor) makers.emplace(output, &op);
  return makers;
}

}  // namespace takt
