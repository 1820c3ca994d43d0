// The times of a run as node data that Google's Model Explorer lays over the drawing of the model's graph: its nodes
// coloured by how long they take.
//
// Model Explorer's form: graph → results → node → value, and a gradient of colours. A node is found by its id, which
// for ONNX is the node's name, or by the name of a tensor that it writes. takt makes names up where a model has none,
// so an operator whose name may be of takt's making goes by its first output.
#pragma once

#include <string>

#include "measure/open/run_result.h"
#include "measure/operators/op_profile.h"

namespace takt {

struct NodeData {
  std::string json;
  Duration shown{};      ///< Σ of the values: of one run, mean
  Duration not_shown{};  ///< of one run, in rows that are no operator of the model: changes of layout, [unattributed]
};

/// Values are the mean time of a run in microseconds; a fused kernel's is on the operator that its row is named after.
/// Needs `result.graph`; throws Error(unsupported) without.
NodeData to_model_explorer(const RunResult& result, const OpProfile& profile);

}  // namespace takt
