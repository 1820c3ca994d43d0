#include "cli/odd_models.h"

#include "base/files/file.h"

namespace takt {
namespace {

std::filesystem::path folder;

}  // namespace

void write_zoo(const std::filesystem::path& into) {
  folder = into;
  std::filesystem::create_directories(folder);
  write_dimensions();
  write_types();
  write_ports();
  write_control_flow();
  write_files();
}

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
