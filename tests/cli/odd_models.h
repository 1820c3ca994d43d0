// Models that are odd but valid, one property each, for run_zoo_test.py and tests of pieces; a file for each kind of
// oddity.
#pragma once

#include <onnx-ml.pb.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/onnx/builder.h"

namespace takt {

/// Writes them all to the folder, which is made where it is not there. Not thread-safe.
void write_zoo(const std::filesystem::path& into);

// What the files of the zoo are made with, and by.
void save(const std::string& name, const ModelBuilder& model, int opset = 17, int ir = 8);

/// The model as text after `change` had its way with what ModelBuilder cannot say.
void save_changed(const std::string& name, const ModelBuilder& model,
                  const std::function<void(onnx::ModelProto&)>& change, int opset = 17, int ir = 8);

/// A file that is no model, beside the models.
void save_file(const std::string& name, const std::string& content);

template <typename Value>
std::string bytes(const std::vector<Value>& values) {
  std::string text(values.size() * sizeof(Value), '\0');
  std::memcpy(text.data(), values.data(), text.size());
  return text;
}

void sequence_type(onnx::ValueInfoProto& value, ElementType element);

void write_dimensions();
void write_types();
void write_ports();
void write_control_flow();
void write_files();

}  // namespace takt
