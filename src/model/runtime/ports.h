// Inputs and outputs of a graph as the ports of a session of it.
#pragma once

#include <vector>

#include "model/runtime/runtime.h"

namespace takt {

/// `ids` are tensors of `graph`: its inputs or its outputs. A shape that is not known, not even its rank, is empty.
std::vector<Port> ports_of(const Graph& graph, const std::vector<TensorId>& ids);

}  // namespace takt
