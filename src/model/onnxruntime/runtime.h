// ONNX Runtime as a takt Runtime: .onnx files on its CPU and CUDA providers.
#pragma once

#include <memory>

#include "model/runtime/runtime.h"

namespace takt {

RuntimeTraits onnxruntime_traits();
std::unique_ptr<Runtime> make_onnxruntime_runtime();

}  // namespace takt
