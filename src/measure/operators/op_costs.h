// What executed operators cost, from the model: their names, shapes, FLOPs and bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "model/graph/graph.h"

namespace takt {

struct OpRow;

/// Fills name, type, tensors, shapes and costs of rows from the operators that each stands for. `runs` were measured:
/// an operator in a body executes several times in one, and costs so many times as much.
void add_costs(const Graph& graph, std::int64_t runs, std::vector<OpRow>& rows);

}  // namespace takt
