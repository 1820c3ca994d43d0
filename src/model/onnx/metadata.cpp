#include "model/onnx/metadata.h"

#include <onnx-ml.pb.h>

namespace takt {

std::map<std::string, std::string> metadata_of(const OnnxModel& model) {
  std::map<std::string, std::string> metadata;
  for (const auto& entry : model.proto->metadata_props()) metadata[entry.key()] = entry.value();
  return metadata;
}

}  // namespace takt
