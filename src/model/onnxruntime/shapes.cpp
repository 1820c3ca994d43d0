#include "model/onnxruntime/shapes.h"

#include <onnx-ml.pb.h>

#include <set>

#include "model/onnx/file.h"
#include "model/onnx/onnx.h"
#include "model/onnx/weights.h"
#include "model/onnxruntime/properties.h"
#include "model/onnxruntime/tensors.h"
#include "model/runtime/tensor_checks.h"

namespace takt::ort {
namespace {

void show_all_tensors(onnx::GraphProto& graph) {
  std::set<std::string> shown;
  for (const auto& output : graph.output()) shown.insert(output.name());
  for (const auto& node : graph.node())
    for (const auto& name : node.output())
      if (!name.empty() && shown.insert(name).second) graph.add_output()->set_name(name);
}

void set_input_shape(onnx::GraphProto& graph, const std::string& name, const Shape& shape) {
  for (auto& input : *graph.mutable_input()) {
    if (input.name() != name) continue;
    auto* dims = input.mutable_type()->mutable_tensor_type()->mutable_shape();
    dims->clear_dim();
    for (const auto size : shape) dims->add_dim()->set_dim_value(size);
  }
}

/// Open dimensions without a name get one, so that it is seen where they go.
void name_open_dimensions(onnx::ValueInfoProto& input) {
  if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape()) return;
  auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
  for (int i = 0; i < shape.dim_size(); ++i) {
    auto& dim = *shape.mutable_dim(i);
    if (!dim.has_dim_value() && dim.dim_param().empty())
      dim.set_dim_param(input.name() + "[" + std::to_string(i) + "]");
  }
}

}  // namespace

std::string with_all_outputs(const std::filesystem::path& model) {
  const OnnxModel read = read_onnx(model);
  show_all_tensors(*read.proto->mutable_graph());
  point_at_real_files(*read.proto, model);
  return serialize_onnx(*read.proto);
}

void find_external_data(Ort::SessionOptions& options, const std::filesystem::path& model) {
  const ModelPlace place = place_of(model);
  const auto folder =
      (place.real_folder.empty() ? std::filesystem::absolute(model).parent_path() : place.real_folder).string();
  options.AddConfigEntry("session.model_external_initializers_file_folder_path", folder.c_str());
}

std::map<std::string, PartialShape> infer_shapes(const Ort::Env& env, const std::filesystem::path& model,
                                                 const std::map<std::string, Shape>& input_shapes,
                                                 const std::vector<std::filesystem::path>& custom_ops,
                                                 const std::string& where) {
  const OnnxModel read = read_onnx_structure(model);
  onnx::ModelProto& proto = *read.proto;
  std::vector<std::string> names;
  for (const auto id : read.graph.inputs) {
    const auto& tensor = read.graph.tensor(id);
    names.push_back(tensor.name);
    if (const auto wanted = input_shapes.find(tensor.name); wanted != input_shapes.end()) {
      fix_shape(tensor.shape.value_or(PartialShape(wanted->second.size())), wanted->second, where, tensor.name);
      set_input_shape(*proto.mutable_graph(), tensor.name, wanted->second);
    }
  }
  check_shape_names(names, input_shapes, where);
  for (auto& input : *proto.mutable_graph()->mutable_input()) name_open_dimensions(input);
  show_all_tensors(*proto.mutable_graph());
  Ort::SessionOptions options;
  options.SetGraphOptimizationLevel(ORT_DISABLE_ALL);
  options.SetIntraOpNumThreads(1);
  options.AddConfigEntry("session.disable_prepacking", "1");  // weights stay unread in their file
  add_custom_ops(options, custom_ops);
  find_external_data(options, model);
  point_at_real_files(proto, model);
  const std::string bytes = serialize_onnx(proto);
  const Ort::Session session(env, bytes.data(), bytes.size(), options);
  std::map<std::string, PartialShape> shapes;
  Ort::AllocatorWithDefaultOptions allocator;
  for (std::size_t i = 0; i < session.GetOutputCount(); ++i) {
    const std::string name = session.GetOutputNameAllocated(i, allocator).get();
    auto shape = port(name, session.GetOutputTypeInfo(i)).shape;
    if (!shape.empty()) shapes.emplace(name, std::move(shape));
  }
  return shapes;
}

}  // namespace takt::ort
