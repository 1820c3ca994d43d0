// Which of the model's operators each node of an optimised graph stands for.
#pragma once

#include <vector>

#include "model/graph/graph.h"
#include "model/onnxruntime/optimised_node.h"

namespace takt::ort {

/// Fills `model_ops`, `leader` and `type` of what the nodes execute and marks them as settled. What the nodes' tensors
/// hold is settled by structure (tensor_meanings.h); a node then covers what lies, in the model, between what it makes
/// and what the other nodes make. Each operator belongs to one node at most: those that the optimiser computed
/// beforehand, or found twice in the model, to none. Nodes that the optimiser added (reorders, casts) keep an empty
/// group and their own type.
void assign_fusion_groups(std::vector<OptimisedNode>& nodes, const Graph& graph);

}  // namespace takt::ort
