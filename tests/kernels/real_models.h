// Models of the zoo on disk, for tests that open them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include "graph/builder.h"
#include "kernels/zoo_export.h"
#include "runtime/runtime.h"
#include "test_folder.h"

namespace takt {

inline bool has_runtime_named(const std::string& name) {
  const auto names = runtime_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}
inline bool has_onnxruntime() { return has_runtime_named("onnxruntime"); }
inline bool has_openvino() { return has_runtime_named("openvino"); }

inline std::filesystem::path write_zoo_model(const TestFolder& folder, const ZooModel& model) {
  return folder.path() / export_zoo({1, {model}}, {.folder = folder.path()})[0].file;
}

}  // namespace takt
