// Shapes of every tensor of a model, as ONNX Runtime infers them.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <filesystem>
#include <map>
#include <string>

#include "model/runtime/runtime.h"

namespace takt::ort {

/// Opens a copy in memory whose graph outputs are all tensors, without types: ONNX Runtime fills them in. Tensors of
/// unknown rank, and scalars (which it does not tell apart from them), are left out. An open dimension i of input NAME
/// that has no name is called "NAME[i]". Throws Ort::Exception, Error.
std::map<std::string, PartialShape> infer_shapes(const Ort::Env& env, const std::filesystem::path& model,
                                                 const std::map<std::string, Shape>& input_shapes,
                                                 const std::vector<std::filesystem::path>& custom_ops,
                                                 const std::string& where);

/// The model with every tensor as an output, serialized.
std::string with_all_outputs(const std::filesystem::path& model);

/// A model that is opened from memory has its external data beside the file `model` or, where that is a link, beside
/// the file that it leads to: see point_at_real_files().
void find_external_data(Ort::SessionOptions& options, const std::filesystem::path& model);

}  // namespace takt::ort
