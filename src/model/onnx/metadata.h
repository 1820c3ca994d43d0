// What a model says of itself: the keys and values that its maker wrote into the file.
#pragma once

#include <map>
#include <string>

#include "model/onnx/onnx.h"

namespace takt {

/// Of a key that is there twice, the last value.
std::map<std::string, std::string> metadata_of(const OnnxModel& model);

}  // namespace takt
