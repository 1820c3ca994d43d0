// Weights that lie in files beside a model, brought into the model.
#pragma once

#include <filesystem>

namespace onnx {
class ModelProto;
}

namespace takt {

/// Gives each constant of the outermost graph its values, out of the files beside `model`, whose constants they are: a
/// graph that a runtime saved elsewhere still points at those. Throws Error(bad_input) where the data is not there.
void bring_weights_inside(onnx::ModelProto& proto, const std::filesystem::path& model);

}  // namespace takt
