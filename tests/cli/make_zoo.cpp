// make_zoo FOLDER: writes the models of zoo.h.
#include <cstdio>
#include <exception>
#include <filesystem>

#include "cli/zoo.h"
#include "core/file.h"

namespace takt {
namespace {

std::filesystem::path folder;

void write_all(const char* into) {
  folder = into;
  std::filesystem::create_directories(folder);
  write_dimensions();
  write_types();
  write_ports();
  write_control_flow();
  write_files();
}

}  // namespace

void save_file(const std::string& name, const std::string& content) { write_file_atomically(folder / name, content); }

void save(const std::string& name, const ModelBuilder& model, int opset, int ir) {
  save_file(name + ".onnx", model.serialize(opset, ir));
}

void save_changed(const std::string& name, const ModelBuilder& model,
                  const std::function<void(onnx::ModelProto&)>& change, int opset, int ir) {
  onnx::ModelProto proto;
  proto.ParseFromString(model.serialize(opset, ir));
  change(proto);
  save_file(name + ".onnx", serialize_onnx(proto));
}

void sequence_type(onnx::ValueInfoProto& value, ElementType element) {
  value.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(
      static_cast<int>(element));
}

}  // namespace takt

int main(int count, char** arguments) {
  if (count != 2) return std::fputs("usage: make_zoo FOLDER\n", stderr), 2;
  try {
    takt::write_all(arguments[1]);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "make_zoo: %s\n", error.what()), 1;
  }
}
