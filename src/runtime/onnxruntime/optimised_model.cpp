#include "runtime/onnxruntime/optimised_model.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <set>

#include "core/error.h"
#include "core/file.h"
#include "runtime/onnxruntime/fusion_groups.h"

namespace takt::ort {
namespace {

// Before IR 4 every initializer had to be a graph input too; ONNX Runtime's dump of such a model mixes both rules and
// does not load again until it follows the newer one.
void raise_ir_version(onnx::ModelProto& model) {
  if (model.ir_version() >= 4) return;
  model.set_ir_version(4);
  std::set<std::string> constants;
  for (const auto& tensor : model.graph().initializer()) constants.insert(tensor.name());
  auto* inputs = model.mutable_graph()->mutable_input();
  for (int i = inputs->size() - 1; i >= 0; --i)
    if (constants.count(inputs->Get(i).name())) inputs->DeleteSubrange(i, 1);
}

onnx::ModelProto read_dump(const std::filesystem::path& dump, const std::string& where) {
  onnx::ModelProto model;
  if (!model.ParseFromString(read_file(dump)))
    throw Error(ErrorKind::runtime, fmt::format("{}: ONNX Runtime's optimised graph cannot be read back", where));
  raise_ir_version(model);
  return model;
}

std::string kernel_of(const onnx::NodeProto& node) {
  std::string kernel = node.op_type();
  if (node.domain() == "com.microsoft.nchwc") kernel = "nchwc." + kernel;
  for (const auto& attribute : node.attribute())
    if (attribute.name() == "activation" && !attribute.s().empty()) kernel += "+" + attribute.s();
  return kernel;
}

OpSample describe(const onnx::NodeProto& node, std::size_t index) {
  OpSample sample;
  sample.name = node.name().empty() ? fmt::format("{}_{}", node.op_type(), index) : node.name();
  sample.type = node.op_type();
  sample.kernel = kernel_of(node);
  for (const auto& name : node.input())
    if (!name.empty()) sample.inputs.push_back(name);
  for (const auto& name : node.output())
    if (!name.empty()) sample.outputs.push_back(name);
  return sample;
}

}  // namespace

std::string node_key(std::size_t index) { return fmt::format("takt-op-{}", index); }

std::string reloadable(const std::filesystem::path& dump, const std::string& where) {
  return read_dump(dump, where).SerializeAsString();
}

OptimisedModel read_optimised(const std::filesystem::path& dump, const Graph* graph, const std::string& where) {
  onnx::ModelProto model = read_dump(dump, where);
  OptimisedModel result;
  auto* nodes = model.mutable_graph()->mutable_node();
  for (int i = 0; i < nodes->size(); ++i) {
    auto& node = *nodes->Mutable(i);
    const auto index = static_cast<std::size_t>(i);
    result.nodes.push_back(describe(node, index));
    for (const auto& attribute : node.attribute()) result.has_subgraphs |= attribute.has_g();
    node.set_name(node_key(index));
  }
  if (graph) assign_fusion_groups(result.nodes, *graph);
  result.bytes = model.SerializeAsString();
  return result;
}

}  // namespace takt::ort
