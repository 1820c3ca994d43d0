// One node of ONNX Runtime's optimised graph, as its saved file tells it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/runtime/runtime.h"

namespace takt::ort {

struct OptimisedNode {
  ExecutedNode executed;            ///< name, type, kernel, tensor names
  std::vector<std::string> inputs;  ///< by position; empty where left out
  std::set<std::string> constants;  ///< those of `inputs` that are weights
  std::string activation;           ///< that a fused convolution applies to its result: "Relu"; empty: none
  bool is_named = false;            ///< by the model or the optimiser; else the name in `executed` is made up
};

/// Whether a kernel of the type `kernel` does what operators of `type` do, perhaps with others fused into it: its name
/// then keeps that of the operator ("FusedConv", "QLinearMatMul", "SkipLayerNormalization", "MatMulIntegerToFloat").
bool computes(std::string_view kernel, std::string_view type);

/// Whether a node only gives its first input another layout, type or shape.
bool only_renames(const OptimisedNode& node);

}  // namespace takt::ort
