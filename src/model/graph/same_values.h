// Tensors of a graph that always hold the same values, because the same is computed twice.
#pragma once

#include <vector>

#include "model/graph/graph.h"

namespace takt {

/// For each tensor, by TensorId, the first one that holds the same values in every run: itself, or what an operator of
/// the same type and attributes makes of the same inputs. Optimisers keep one of such operators. Constants are the same
/// where their few integers are known and equal. Operators with a body, and those that draw random numbers, are never
/// the same as another.
std::vector<TensorId> same_values(const Graph& graph);

}  // namespace takt
