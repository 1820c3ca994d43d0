// The weights of a model in a mapped file instead of memory of this program. Every compiled model keeps OpenVINO's
// constants although its kernels read packed copies of most: with two compiled models those were there three times.
// Pages of a file take no memory once the packed copies are made (pages_given_back.h).
#pragma once

#include <memory>
#include <openvino/core/model.hpp>

#include "base/files/file.h"

namespace takt::openvino {

/// Moves the model's large constants, those outside of bodies, to a file that lasts as long as one of them. Values,
/// names and all else stay. The file; nullptr, and nothing changed: there are none. Throws Error(io).
std::shared_ptr<const MappedFile> move_weights_to_file(const std::shared_ptr<ov::Model>& model);

}  // namespace takt::openvino
