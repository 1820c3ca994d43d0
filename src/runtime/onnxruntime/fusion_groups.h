// Which of the model's operators each node of an optimised graph stands for.
#pragma once

#include <vector>

#include "runtime/runtime.h"

namespace takt::ort {

/// Fills `model_ops` and `type` of nodes that are described by name, kernel and tensor names. The optimiser keeps the
/// name of a tensor that it does not remove, so a node covers what lies, in the model, between its outputs and the
/// outputs of the other nodes. Nodes that the optimiser added (reorders, casts) keep an empty group and their own type.
void assign_fusion_groups(std::vector<OpSample>& nodes, const Graph& graph);

}  // namespace takt::ort
