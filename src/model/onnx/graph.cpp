#include "model/onnx/graph.h"

#include <unordered_set>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/graph/topology.h"
#include "model/onnx/attributes.h"
#include "model/onnx/tensor.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

// One graph on its way in. The steps of read() come in this order because each needs the names that the one before it
// made: tensors, then nodes with their outputs, then inputs (a file need not be in order), then subgraphs.
class GraphReader {
 public:
  GraphReader(const onnx::GraphProto& proto, const ModelPlace& place, const OuterScope* outer)
      : proto_(proto), place_(place), outer_(outer), scope_{outer, &ids_, &graph_.tensors} {}

  Graph read() {
    graph_.name = proto_.name();
    add_constants();
    add_inputs();
    add_ops();
    declare_shapes();
    for (int i = 0; i < proto_.node_size(); ++i) connect(i);
    add_outputs();
    sort();
    fill_constant_shapes();
    return std::move(graph_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorKind::bad_input, place_.where + ": " + why);
  }
  static std::string quoted(const std::string& name) { return "'" + printable(name) + "'"; }

  TensorId add(Tensor tensor) {
    const auto id = static_cast<TensorId>(graph_.tensors.size());
    if (!ids_.emplace(tensor.name, id).second) {
      refuse("tensor " + quoted(tensor.name) + " is produced twice; each name may have one producer");
    }
    graph_.tensors.push_back(std::move(tensor));
    producers_.push_back(-1);
    return id;
  }

  void add_constants() {
    for (const auto& tensor : proto_.initializer()) add(read_constant(tensor, tensor.name(), place_));
    for (const auto& tensor : proto_.sparse_initializer()) {
      add(read_sparse_constant(tensor, tensor.values().name(), place_));
    }
  }

  // Before IR 4 every initializer is listed as an input as well; since then, those that a caller may replace.
  void add_inputs() {
    for (const auto& input : proto_.input()) {
      const auto known = ids_.find(input.name());
      if (known != ids_.end() && tensor(known->second).is_constant) continue;
      Tensor made;
      made.name = input.name();
      apply_declared_type(input.type(), made, place_);
      graph_.inputs.push_back(add(std::move(made)));
    }
  }

  void add_ops() {
    name_ops();
    for (int i = 0; i < proto_.node_size(); ++i) {
      const auto& node = proto_.node(i);
      Op& op = graph_.ops[static_cast<std::size_t>(i)];
      op.type = node.op_type();
      op.domain = node.domain() == "ai.onnx" ? "" : node.domain();
      op.node_index = i;
      if (op.type.empty()) refuse("node " + quoted(op.name) + " has no operator type; the file is damaged");
      for (const auto& attribute : node.attribute()) {
        if (auto value = read_attribute(attribute)) op.attributes.insert_or_assign(attribute.name(), std::move(*value));
      }
      check_attribute_constants(node, place_);
      add_op_outputs(node, op, i);
    }
  }

  void name_ops() {
    graph_.ops.resize(static_cast<std::size_t>(proto_.node_size()));
    std::unordered_set<std::string> taken;
    for (int i = 0; i < proto_.node_size(); ++i) {
      const std::string& name = proto_.node(i).name();
      if (!name.empty() && taken.insert(name).second) graph_.ops[static_cast<std::size_t>(i)].name = name;
    }
    for (int i = 0; i < proto_.node_size(); ++i) {
      std::string& name = graph_.ops[static_cast<std::size_t>(i)].name;
      if (!name.empty()) continue;
      name = proto_.node(i).op_type() + "_" + std::to_string(i);
      while (!taken.insert(name).second) name += '_';
    }
  }

  void add_op_outputs(const onnx::NodeProto& node, Op& op, int index) {
    for (const std::string& name : node.output()) {
      if (name.empty()) {
        op.outputs.push_back(no_tensor);
        continue;
      }
      Tensor made;
      made.name = name;
      if (op.type == "Constant" && op.domain.empty()) made = read_constant_node(node, name, place_).value_or(made);
      const TensorId id = add(std::move(made));
      producers_[static_cast<std::size_t>(id)] = index;
      op.outputs.push_back(id);
    }
  }

  void declare_shapes() {
    for (const auto* list : {&proto_.value_info(), &proto_.output()}) {
      for (const auto& value : *list) {
        const auto found = ids_.find(value.name());
        if (found != ids_.end()) apply_declared_type(value.type(), tensor(found->second), place_);
      }
    }
  }

  // The tensor of this name here or, copied in and marked, of a graph around this one.
  std::optional<TensorId> resolve(const std::string& name) {
    const auto found = ids_.find(name);
    if (found != ids_.end()) return found->second;
    const Tensor* outer = outer_ == nullptr ? nullptr : outer_->find(name);
    if (outer == nullptr) return std::nullopt;
    Tensor captured = *outer;
    captured.is_captured = true;
    return add(std::move(captured));
  }

  void connect(int index) {
    const auto& node = proto_.node(index);
    auto& op = graph_.ops[static_cast<std::size_t>(index)];
    for (const std::string& name : node.input()) {
      if (name.empty()) {
        op.inputs.push_back(no_tensor);
        continue;
      }
      const auto id = resolve(name);
      if (!id) refuse("operator " + quoted(op.name) + " reads the tensor " + quoted(name) + ", which nothing produces");
      op.inputs.push_back(*id);
      depend(*id, index);
    }
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) add_subgraph(attribute.name(), attribute.g(), index);
      for (int i = 0; i < attribute.graphs_size(); ++i) {
        add_subgraph(attribute.name() + "_" + std::to_string(i), attribute.graphs(i), index);
      }
    }
  }

  void add_subgraph(const std::string& name, const onnx::GraphProto& proto, int index) {
    auto inner = std::make_shared<const Graph>(read_graph(proto, place_, &scope_));
    for (const Tensor& captured : inner->tensors) {
      if (!captured.is_captured) continue;
      // A subgraph two levels down captures through this graph, so that each level names what it needs from outside.
      if (const auto id = resolve(captured.name)) depend(*id, index);
    }
    graph_.ops[static_cast<std::size_t>(index)].subgraphs.insert_or_assign(name, std::move(inner));
  }

  void depend(TensorId tensor_id, int consumer) {
    const int producer = producers_[static_cast<std::size_t>(tensor_id)];
    if (producer >= 0) edges_.emplace_back(producer, consumer);
  }

  void add_outputs() {
    for (const auto& output : proto_.output()) {
      const auto id = resolve(output.name());
      if (!id)
        refuse("the output " + quoted(output.name()) +
               " is not produced by any operator; the file is damaged or truncated");
      graph_.outputs.push_back(*id);
    }
  }

  void sort() {
    const auto order = topological_order(proto_.node_size(), edges_);
    if (!order) refuse("the operators depend on each other in a cycle; a model must not have a cycle");
    std::vector<Op> sorted;
    sorted.reserve(order->size());
    for (const int index : *order) sorted.push_back(std::move(graph_.ops[static_cast<std::size_t>(index)]));
    graph_.ops = std::move(sorted);
  }

  // Models stripped of their weights make them with ConstantOfShape; every runtime folds that away.
  void fill_constant_shapes() {
    for (const Op& op : graph_.ops) {
      if (op.type != "ConstantOfShape" || !op.domain.empty()) continue;
      if (op.inputs.size() != 1 || op.outputs.size() != 1) continue;
      if (op.inputs[0] == no_tensor || op.outputs[0] == no_tensor) continue;
      const Tensor& dims = tensor(op.inputs[0]);
      Tensor& made = tensor(op.outputs[0]);
      const auto value = read_constant_node(proto_.node(op.node_index), made.name, place_);
      made.type = value ? value->type : ElementType::f32;
      made.bytes = byte_count(made.type, made.shape);
      if (!dims.is_constant || !dims.integers) continue;
      PartialShape shape;
      for (const std::int64_t dim : *dims.integers) shape.push_back({dim, {}});
      check_dimensions(shape, made.name, place_);
      made.shape = std::move(shape);
      made.is_constant = true;
      made.bytes = byte_count(made.type, made.shape);
    }
  }

  Tensor& tensor(TensorId id) { return graph_.tensor(id); }

  const onnx::GraphProto& proto_;
  const ModelPlace& place_;
  const OuterScope* outer_;
  Graph graph_;
  std::map<std::string, TensorId> ids_;
  OuterScope scope_;
  std::vector<int> producers_;  // per tensor: index into proto_.node, or -1
  std::vector<std::pair<int, int>> edges_;
};

}  // namespace

const Tensor* OuterScope::find(const std::string& name) const {
  for (const OuterScope* scope = this; scope != nullptr; scope = scope->parent) {
    const auto found = scope->names->find(name);
    if (found != scope->names->end()) return &(*scope->tensors)[static_cast<std::size_t>(found->second)];
  }
  return nullptr;
}

Graph read_graph(const onnx::GraphProto& proto, const ModelPlace& place, const OuterScope* outer) {
  return GraphReader(proto, place, outer).read();
}

}  // namespace takt
