// Shapes of every tensor of a model, as ONNX Runtime infers them.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <filesystem>
#include <map>
#include <string>

#include "runtime/runtime.h"

namespace takt::ort {

/// Opens a copy in memory whose graph outputs are all tensors, without types: ONNX Runtime fills them in. Tensors of
/// unknown rank, and scalars (which it does not tell apart from them), are left out. Throws Ort::Exception, Error.
std::map<std::string, PartialShape> infer_shapes(const Ort::Env& env, const std::filesystem::path& model,
                                                 const std::map<std::string, Shape>& input_shapes,
                                                 const std::string& where);

}  // namespace takt::ort
