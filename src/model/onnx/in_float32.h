// A model of halves as the same model in float32.
//
// What a model of float16 or bfloat16 computes is told by its weights, which are halves, and its operators; that its
// intermediate values are rounded to halves is how a device computes it, and each does so at other places. So what it
// should give is what it gives in float32, with the weights as they are.
#pragma once

#include <optional>

#include "model/onnx/onnx.h"

namespace takt {

/// `model` with float32 wherever it has float16 or bfloat16: inputs, outputs, what operators are told to make, also in
/// bodies and functions. Weights keep their values and their place (those in other files, too): each is cast where it
/// is read. nullopt: it has none of these types. Throws as parse_onnx() does. Thread-safe.
std::optional<OnnxModel> in_float32(const OnnxModel& model);

}  // namespace takt
