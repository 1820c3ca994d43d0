#include "model/onnx/weights.h"

#include <functional>
#include <optional>
#include <string>
#include <system_error>

#include "base/basics/text.h"
#include "model/graph/graph.h"
#include "model/onnx/file.h"
#include "model/onnx/onnx.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t page = 4096;  // tensors begin on pages, so that a runtime can map them

bool is_external(const onnx::TensorProto& tensor) { return tensor.data_location() == onnx::TensorProto::EXTERNAL; }

std::int64_t tensor_bytes(const onnx::TensorProto& tensor) {
  const Shape shape(tensor.dims().begin(), tensor.dims().end());
  const auto elements = element_count(shape);
  const auto bytes = elements ? byte_count(static_cast<ElementType>(tensor.data_type()), *elements) : std::nullopt;
  return bytes.value_or(0);
}

using TensorVisitor = std::function<void(onnx::TensorProto&)>;

void visit_sparse(onnx::SparseTensorProto& sparse, const TensorVisitor& visit) {
  visit(*sparse.mutable_values());
  visit(*sparse.mutable_indices());
}

void visit_body(onnx::GraphProto& graph, const TensorVisitor& visit);

void visit_attributes(onnx::NodeProto& node, const TensorVisitor& visit) {
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_t()) visit(*attribute.mutable_t());
    for (auto& tensor : *attribute.mutable_tensors()) visit(tensor);
    if (attribute.has_sparse_tensor()) visit_sparse(*attribute.mutable_sparse_tensor(), visit);
    for (auto& sparse : *attribute.mutable_sparse_tensors()) visit_sparse(sparse, visit);
    if (attribute.has_g()) visit_body(*attribute.mutable_g(), visit);
    for (auto& graph : *attribute.mutable_graphs()) visit_body(graph, visit);
  }
}

void visit_body(onnx::GraphProto& graph, const TensorVisitor& visit) {
  for (auto& tensor : *graph.mutable_initializer()) visit(tensor);
  for (auto& sparse : *graph.mutable_sparse_initializer()) visit_sparse(sparse, visit);
  for (auto& node : *graph.mutable_node()) visit_attributes(node, visit);
}

/// Every constant but the initializers of the outermost graph: no runtime reads others from another file.
void visit_inner(onnx::ModelProto& model, const TensorVisitor& visit) {
  for (auto& sparse : *model.mutable_graph()->mutable_sparse_initializer()) visit_sparse(sparse, visit);
  for (auto& node : *model.mutable_graph()->mutable_node()) visit_attributes(node, visit);
  for (auto& function : *model.mutable_functions())
    for (auto& node : *function.mutable_node()) visit_attributes(node, visit);
}

void set_entry(onnx::TensorProto& tensor, const std::string& key, const std::string& value) {
  auto& entry = *tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}

void bring_inside(onnx::TensorProto& tensor, WeightFiles& files) {
  if (!is_external(tensor)) return;
  tensor.set_raw_data(std::string(files.values_of(tensor)));
  tensor.clear_external_data();
  tensor.clear_data_location();
}

void write_beside(onnx::GraphProto& graph, WeightFiles& files, const fs::path& data) {
  AtomicFile file(data);
  std::uint64_t end = 0;
  for (auto& tensor : *graph.mutable_initializer()) {
    if (!is_external(tensor)) continue;
    const std::string_view values = files.values_of(tensor);
    const std::uint64_t begin = (end + page - 1) / page * page;
    file.append(std::string(begin - end, '\0'));
    file.append(values);
    end = begin + values.size();
    tensor.clear_external_data();
    set_entry(tensor, "location", data.filename().string());
    set_entry(tensor, "offset", std::to_string(begin));
    set_entry(tensor, "length", std::to_string(values.size()));
  }
  file.commit();
}

}  // namespace

std::string_view WeightFiles::values_of(const onnx::TensorProto& tensor) {
  std::string location;
  std::int64_t offset = 0;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = number_in<std::int64_t>(entry.value()).value_or(-1);
  }
  const std::int64_t length = tensor_bytes(tensor);
  const ModelPlace place = place_of(model_);
  const fs::path path = check_external_data(place, tensor.name(), location, offset, length);
  if (length == 0) return {};
  auto& file = files_[location];
  if (!file) file = std::make_unique<MappedFile>(path);
  return file->text().substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
}

void point_at_real_files(onnx::ModelProto& proto, const fs::path& model) {
  const ModelPlace place = place_of(model);
  if (place.real_folder.empty()) return;
  const auto point = [&](onnx::TensorProto& tensor) {
    for (auto& entry : *tensor.mutable_external_data()) {
      if (entry.key() != "location") continue;
      std::error_code error;
      const fs::path real = fs::canonical(place.folder / entry.value(), error).lexically_relative(place.real_folder);
      if (!error && !real.empty() && *real.begin() != "..") entry.set_value(real.string());
    }
  };
  for (auto& tensor : *proto.mutable_graph()->mutable_initializer()) point(tensor);
  visit_inner(proto, point);
}

void bring_weights_inside(onnx::ModelProto& proto, const fs::path& model) {
  WeightFiles files(model);
  for (auto& tensor : *proto.mutable_graph()->mutable_initializer()) bring_inside(tensor, files);
}

void write_with_weights(onnx::ModelProto& model, WeightFiles& files, const fs::path& path, std::int64_t most_inside) {
  visit_inner(model, [&](onnx::TensorProto& tensor) { bring_inside(tensor, files); });
  std::int64_t outside = 0;
  for (const auto& tensor : model.graph().initializer())
    if (is_external(tensor)) outside += tensor_bytes(tensor);
  const fs::path data = path.string() + ".data";
  if (outside > most_inside) {
    write_beside(*model.mutable_graph(), files, data);
  } else {
    for (auto& tensor : *model.mutable_graph()->mutable_initializer()) bring_inside(tensor, files);
  }
  write_file_atomically(path, serialize_onnx(model));
  std::error_code ignored;
  if (outside <= most_inside) fs::remove(data, ignored);
}

}  // namespace takt
