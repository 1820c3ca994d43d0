#include "model/onnxruntime/optimised_model.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "model/graph/placed_ops.h"
#include "model/onnxruntime/fusion_groups.h"

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

OptimisedNode describe(const onnx::NodeProto& node, std::size_t index, const std::set<std::string>& constants) {
  OptimisedNode described;
  described.is_named = !node.name().empty();
  ExecutedNode& executed = described.executed;
  executed.name = described.is_named ? node.name() : fmt::format("{}_{}", node.op_type(), index);
  executed.type = executed.node_type = node.op_type();
  executed.kernel = kernel_of(node);
  for (const auto& attribute : node.attribute())
    if (attribute.name() == "activation") described.activation = attribute.s();
  for (const auto& name : node.input()) {
    described.inputs.push_back(name);
    if (!name.empty()) executed.inputs.push_back(name);
    if (constants.contains(name)) described.constants.insert(name);
  }
  for (const auto& name : node.output())
    if (!name.empty()) executed.outputs.push_back(name);
  return described;
}

template <typename List>
void keep(List& list, const std::set<std::string>& names) {
  const auto end =
      std::remove_if(list.begin(), list.end(), [&](const auto& one) { return !names.contains(one.name()); });
  list.erase(end, list.end());
}

/// What a node reads, in its bodies too.
void add_inputs(const onnx::NodeProto& node, std::set<std::string>& names) {
  names.insert(node.input().begin(), node.input().end());
  for (const auto& attribute : node.attribute())
    if (attribute.has_g())
      for (const auto& inner : attribute.g().node()) add_inputs(inner, names);
}

/// The node whose body a graph is.
struct Outer {
  const Op* op = nullptr;  ///< of the model; null: not known
  std::string path, body;
};

/// Describes a graph's nodes and those of its bodies, and gives each a name of its own.
class Descriptions {
 public:
  explicit Descriptions(OptimisedModel& result) : result_(result) {}

  /// `graph` is the model's own reading of it; null: not known. `outer`: unset for the model's own graph.
  void add(onnx::GraphProto& proto, const Graph* graph, const std::optional<Outer>& outer) {
    for (const auto& tensor : proto.initializer()) constants_.insert(tensor.name());
    std::vector<OptimisedNode> nodes;
    for (int i = 0; i < proto.node_size(); ++i)
      nodes.push_back(describe(proto.node(i), static_cast<std::size_t>(i), constants_));
    if (graph) assign_fusion_groups(nodes, *graph);
    for (int i = 0; i < proto.node_size(); ++i) {
      ExecutedNode& executed = nodes[static_cast<std::size_t>(i)].executed;
      const Op* op = graph ? op_of(executed, *graph) : nullptr;
      if (outer) place(executed, *outer);
      add_bodies(*proto.mutable_node(i), op, executed.leader.empty() ? executed.name : executed.leader);
      const std::string key = fmt::format("takt-op-{}", result_.nodes.size());
      proto.mutable_node(i)->set_name(key);
      result_.nodes.emplace(key, std::move(executed));
    }
  }

 private:
  /// The model's operator with a body that a node is, before its names become paths.
  static const Op* op_of(const ExecutedNode& executed, const Graph& graph) {
    for (const Op& op : graph.ops)
      if (!op.subgraphs.empty() && op.name == executed.leader) return &op;
    return nullptr;
  }

  static void place(ExecutedNode& executed, const Outer& outer) {
    const auto placed = [&](const std::string& name) {
      return outer.op ? body_path(outer.path, *outer.op, outer.body, name) : outer.path + " > " + name;
    };
    executed.name = placed(executed.name);
    for (auto& name : executed.model_ops) name = placed(name);
    if (!executed.leader.empty()) executed.leader = placed(executed.leader);
  }

  void add_bodies(onnx::NodeProto& node, const Op* op, const std::string& path) {
    for (auto& attribute : *node.mutable_attribute()) {
      if (!attribute.has_g()) continue;
      const Graph* body = nullptr;
      if (op)
        if (const auto found = op->subgraphs.find(attribute.name()); found != op->subgraphs.end())
          body = found->second.get();
      add(*attribute.mutable_g(), body, Outer{op, path, attribute.name()});
    }
  }

  OptimisedModel& result_;
  std::set<std::string> constants_;  ///< those of the graphs around a body too
};

void add_names_in_bodies(const onnx::GraphProto& graph, std::set<std::string>& names) {
  for (const auto& node : graph.node())
    for (const auto& attribute : node.attribute()) {
      if (!attribute.has_g()) continue;
      for (const auto& tensor : attribute.g().initializer()) names.insert(tensor.name());
      add_names_in_bodies(attribute.g(), names);
    }
}

/// Where an external tensor lies in its file.
StoredWeight place_of(const onnx::TensorProto& tensor) {
  StoredWeight weight{tensor.name(), tensor.data_type(), {tensor.dims().begin(), tensor.dims().end()}};
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "offset") weight.offset = number_in<std::size_t>(entry.value()).value_or(0);
    if (entry.key() == "length") weight.bytes = number_in<std::size_t>(entry.value()).value_or(0);
  }
  return weight;
}

/// Of a graph and its bodies.
std::size_t end_of_weights_in(const onnx::GraphProto& graph) {
  std::size_t end = 0;
  for (const auto& tensor : graph.initializer()) {
    const StoredWeight weight = place_of(tensor);
    end = std::max(end, weight.offset + weight.bytes);
  }
  for (const auto& node : graph.node())
    for (const auto& attribute : node.attribute())
      if (attribute.has_g()) end = std::max(end, end_of_weights_in(attribute.g()));
  return end;
}

std::vector<StoredWeight> stored_weights(const onnx::GraphProto& graph) {
  std::set<std::string> in_bodies;  // whoever is given a weight by name would give it to those, too
  add_names_in_bodies(graph, in_bodies);
  std::vector<StoredWeight> weights;
  for (const auto& tensor : graph.initializer()) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL || in_bodies.contains(tensor.name())) continue;
    weights.push_back(place_of(tensor));
  }
  return weights;
}

}  // namespace

std::string reloadable(const std::filesystem::path& dump, const std::string& where) {
  return read_dump(dump, where).SerializeAsString();
}

std::size_t end_of_weights(const std::filesystem::path& dump, const std::string& where) {
  return end_of_weights_in(read_dump(dump, where).graph());
}

OptimisedModel read_optimised(const std::filesystem::path& dump, const Graph* graph, const std::string& where) {
  onnx::ModelProto model = read_dump(dump, where);
  OptimisedModel result;
  Descriptions(result).add(*model.mutable_graph(), graph, std::nullopt);
  result.weights = stored_weights(model.graph());
  result.outer_nodes = static_cast<std::size_t>(model.graph().node_size());
  result.bytes = model.SerializeAsString();
  return result;
}

std::string head_of(const std::string& bytes, const std::set<std::string>& keys, const std::string& where) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes))
    throw Error(ErrorKind::runtime, where + ": its optimised graph cannot be read back");
  onnx::GraphProto& graph = *model.mutable_graph();
  std::set<std::string> read_inside, made, wanted;
  for (const auto& output : graph.output()) wanted.insert(output.name());
  for (const auto& node : graph.node()) add_inputs(node, keys.contains(node.name()) ? read_inside : wanted);
  for (const auto& node : graph.node()) {
    if (!keys.contains(node.name())) continue;
    made.insert(node.output().begin(), node.output().end());
    const auto is_read = [&](const std::string& name) { return wanted.contains(name) || read_inside.contains(name); };
    // A node for nobody, as exporters leave behind, runs all the same; a model without outputs would not.
    if (std::none_of(node.output().begin(), node.output().end(), is_read) && node.output_size() > 0)
      wanted.insert(node.output(0));
  }
  keep(*graph.mutable_node(), keys);
  keep(*graph.mutable_initializer(), read_inside);
  graph.clear_output();
  for (const std::string& name : made)
    if (!name.empty() && wanted.contains(name)) graph.add_output()->set_name(name);  // ONNX Runtime finds the type
  return model.SerializeAsString();
}

}  // namespace takt::ort
