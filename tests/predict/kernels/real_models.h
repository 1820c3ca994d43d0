// Models of the zoo on disk, for tests that open them.
#pragma once

#include <onnx-ml.pb.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include "base/basics/text.h"
#include "model/onnx/builder.h"
#include "model/runtime/runtime.h"
#include "predict/zoo/export.h"
#include "predict/zoo/weights.h"
#include "test_folder.h"

namespace takt {

inline bool has_runtime_named(const std::string& name) {
  const auto names = runtime_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}
inline bool has_onnxruntime() { return has_runtime_named("onnxruntime"); }
inline bool has_openvino() { return has_runtime_named("openvino"); }

struct ExternalPlace {
  std::size_t offset = 0, length = 0;  ///< bytes
};
/// Of values that lie in another file; nullopt: they are in the model.
inline std::optional<ExternalPlace> external_place(const onnx::TensorProto& tensor) {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return std::nullopt;
  ExternalPlace place;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "offset") place.offset = number_in<std::size_t>(entry.value()).value();
    if (entry.key() == "length") place.length = number_in<std::size_t>(entry.value()).value();
  }
  return place;
}

/// With its weights inside: a test writes the few that it needs instead of the file for all models.
inline std::filesystem::path write_zoo_model(const TestFolder& folder, const ZooModel& model) {
  const BuiltZooModel built = build_zoo_model(model, 1);
  const std::string weights = zoo_weights(1, built.weight_bytes);
  onnx::ModelProto proto;
  EXPECT_TRUE(proto.ParseFromString(built.bytes));
  for (auto& tensor : *proto.mutable_graph()->mutable_initializer()) {
    const auto place = external_place(tensor);
    if (!place) continue;
    tensor.set_raw_data(weights.substr(place->offset, place->length));
    tensor.clear_external_data();
    tensor.clear_data_location();
  }
  return folder.write(model.name() + ".onnx", serialize_onnx(proto));
}

}  // namespace takt
