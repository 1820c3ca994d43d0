// The models around the parts of a divided range: one that cuts what comes in, one that puts together what comes out.
//
// Both know the graph: which rows each part reads is a constant of theirs. Tensors of part p (from 1) are called
// "x_p"; a part gets its edges as `edge_index` (GraphPart::local) and nothing that only tells how many nodes there are.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/onnx/onnx.h"
#include "plan/gnn/graph_parts.h"
#include "plan/gnn/stage_model.h"

namespace takt {

std::string part_name(std::string_view tensor, std::size_t part);  ///< "x_2" of part 1

/// The model of one part, with the ports of the range. `settings` but for its sizes.
OnnxModel part_model(const StageRange& range, StageModelSettings settings, const GraphPart& part);

/// From the inputs of the range, without indices, to those of each part; float32. nullopt: there are none.
std::optional<OnnxModel> partition_model(const StageRange& range, const StageModelSettings& settings,
                                         const EdgeList& graph, const std::vector<GraphPart>& parts);

/// From the outputs of the parts to those of the range; float32.
OnnxModel merge_model(const StageRange& range, const StageModelSettings& settings, const EdgeList& graph,
                      const std::vector<GraphPart>& parts);

}  // namespace takt
