#include "model/onnx/in_float32.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/basics/half.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

constexpr int float32 = onnx::TensorProto::FLOAT, float16 = onnx::TensorProto::FLOAT16,
              bfloat16 = onnx::TensorProto::BFLOAT16;

bool is_half(std::int64_t type) { return type == float16 || type == bfloat16; }

/// Attributes that name the type of what an operator makes or computes in.
bool names_a_type(std::string_view attribute) {
  static constexpr std::array<std::string_view, 6> names{
      "to", "dtype", "output_dtype", "output_datatype", "stash_type", "softmax_precision"};
  for (const auto name : names)
    if (attribute == name) return true;
  return false;
}

class Rewriting {
 public:
  bool has_changed() const { return changed_; }

  void graph(onnx::GraphProto& graph) {
    for (auto* list : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()})
      for (auto& value : *list) type(*value.mutable_type());
    std::vector<onnx::NodeProto> casts;
    for (auto& weight : *graph.mutable_initializer())
      if (is_half(weight.data_type())) casts.push_back(cast_of(*weight.mutable_name()));
    for (auto& weight : *graph.mutable_sparse_initializer())
      if (is_half(weight.values().data_type())) casts.push_back(cast_of(*weight.mutable_values()->mutable_name()));
    leave_out_inputs(graph, casts);
    for (auto& node : *graph.mutable_node()) this->node(node);
    put_first(graph, casts);
  }

  void function(onnx::FunctionProto& function) {
    for (auto& node : *function.mutable_node()) this->node(node);
    for (auto& value : *function.mutable_value_info()) type(*value.mutable_type());
    for (auto& attribute : *function.mutable_attribute_proto()) this->attribute(attribute);
  }

 private:
  void type(onnx::TypeProto& type) {
    if (type.has_sequence_type()) return this->type(*type.mutable_sequence_type()->mutable_elem_type());
    if (type.has_optional_type()) return this->type(*type.mutable_optional_type()->mutable_elem_type());
    if (type.has_map_type()) return this->type(*type.mutable_map_type()->mutable_value_type());
    if (!type.has_tensor_type() || !is_half(type.tensor_type().elem_type())) return;
    type.mutable_tensor_type()->set_elem_type(float32);
    changed_ = true;
  }

  /// Takes the name of a weight for what is cast from it.
  onnx::NodeProto cast_of(std::string& name) {
    onnx::NodeProto cast;
    cast.set_op_type("Cast");
    cast.set_name(name + "/float32");
    cast.add_output(name);
    name += "/half";
    cast.add_input(name);
    auto& to = *cast.add_attribute();
    to.set_name("to"), to.set_type(onnx::AttributeProto::INT), to.set_i(float32);
    changed_ = true;
    return cast;
  }

  /// Before IR 4 weights are declared as inputs, too; what is cast is one no more.
  static void leave_out_inputs(onnx::GraphProto& graph, const std::vector<onnx::NodeProto>& casts) {
    std::unordered_set<std::string> made;
    for (const auto& cast : casts) made.insert(cast.output(0));
    auto& inputs = *graph.mutable_input();
    for (int i = inputs.size() - 1; i >= 0; --i)
      if (made.contains(inputs.Get(i).name())) inputs.DeleteSubrange(i, 1);
  }

  static void put_first(onnx::GraphProto& graph, std::vector<onnx::NodeProto>& casts) {
    if (casts.empty()) return;
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    for (auto& cast : casts) *nodes.Add() = std::move(cast);
    for (auto& node : *graph.mutable_node()) *nodes.Add() = std::move(node);
    graph.mutable_node()->Swap(&nodes);
  }

  void node(onnx::NodeProto& node) {
    for (auto& attribute : *node.mutable_attribute()) this->attribute(attribute);
  }

  void attribute(onnx::AttributeProto& attribute) {
    if (attribute.type() == onnx::AttributeProto::INT && names_a_type(attribute.name()) && is_half(attribute.i())) {
      attribute.set_i(float32);
      changed_ = true;
    }
    if (attribute.has_t()) constant(*attribute.mutable_t());
    for (auto& one : *attribute.mutable_tensors()) constant(one);
    if (attribute.has_g()) graph(*attribute.mutable_g());
    for (auto& one : *attribute.mutable_graphs()) graph(one);
    if (attribute.has_tp()) type(*attribute.mutable_tp());
    for (auto& one : *attribute.mutable_type_protos()) type(one);
  }

  /// A constant that stands in an operator.
  void constant(onnx::TensorProto& tensor) {
    if (!is_half(tensor.data_type())) return;
    std::vector<std::uint16_t> halves;
    if (tensor.has_raw_data()) {
      halves.resize(tensor.raw_data().size() / sizeof(std::uint16_t));
      if (!halves.empty()) std::memcpy(halves.data(), tensor.raw_data().data(), halves.size() * sizeof(std::uint16_t));
    } else {
      for (const auto bits : tensor.int32_data()) halves.push_back(static_cast<std::uint16_t>(bits));
    }
    const bool is_brain = tensor.data_type() == bfloat16;
    tensor.clear_raw_data(), tensor.clear_int32_data();
    for (const auto half : halves) tensor.add_float_data(is_brain ? from_bfloat(half) : from_half(half));
    tensor.set_data_type(float32);
    changed_ = true;
  }

  bool changed_ = false;
};

}  // namespace

std::optional<OnnxModel> in_float32(const OnnxModel& model) {
  onnx::ModelProto proto = *model.proto;
  Rewriting rewriting;
  rewriting.graph(*proto.mutable_graph());
  for (auto& function : *proto.mutable_functions()) rewriting.function(function);
  if (!rewriting.has_changed()) return std::nullopt;
  return parse_onnx(serialize_onnx(proto), model.graph.path);
}

}  // namespace takt
