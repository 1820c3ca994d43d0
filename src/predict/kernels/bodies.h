// What If, Loop and Scan run inside, as models of their own: then a runtime tells of a body what it tells of a model.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "model/onnx/onnx.h"

namespace takt {

/// The body `name` of the operator `op` of model.graph as a model. Its inputs have the types and shapes that the
/// operator's own inputs have in `known` (model.graph with more shapes), those of the first turn; what it takes from the
/// graph around it is an input or a constant, too. External data are where they were.
onnx::ModelProto body_model(const OnnxModel& model, const Graph& known, const Op& op, const std::string& name);

/// How often a body of `op` runs in one execution, at most: 1 of If; of Loop its count, which is constant, the
/// size of a tensor, or given as an input of the model; of Scan the length of what it goes over. nullopt: not known.
std::optional<double> turns_of(const Graph& known, const Op& op, const std::map<std::string, double>& given);

}  // namespace takt
