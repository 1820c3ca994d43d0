// Element types of the tensors between operators, which models may leave out.
#pragma once

#include "model/graph/graph.h"

namespace takt {

/// Fills in the element type of tensors that have none, from their producers: most operators keep the type of their
/// first input; those that do not (Cast, Shape, comparisons, quantisation…) follow the ONNX operator specification.
/// Bodies of If, Loop and Scan get theirs from what they capture and are handed, and their results give those of the
/// operator. Bytes of such tensors are computed where the shape is known. What cannot be told stays undefined, as does
/// what is no tensor (a sequence, a map, an optional value). Operators that are none of ONNX's own are taken for most.
void infer_types(Graph& graph);

}  // namespace takt
