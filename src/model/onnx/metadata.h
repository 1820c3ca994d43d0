// What a model says of itself: the keys and values that its maker wrote into the file.
#pragma once

#include <map>
#include <string>

#include "model/onnx/onnx.h"

namespace takt {

/// Returns the file's metadata_props, key to value. If a key occurs more than once, the last value wins.
std::map<std::string, std::string> metadata_of(const OnnxModel& model);

}  // namespace takt
