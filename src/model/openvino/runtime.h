// OpenVINO as a takt Runtime: .onnx and .xml files on the devices of its plugins.
#pragma once

#include <memory>

#include "model/runtime/runtime.h"

namespace takt {

RuntimeTraits openvino_traits();
std::unique_ptr<Runtime> make_openvino_runtime();

}  // namespace takt
