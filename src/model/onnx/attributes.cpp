#include "model/onnx/attributes.h"

#include "base/basics/error.h"
#include "model/onnx/tensor.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

using Kind = onnx::AttributeProto;

// Files before IR 2 do not say which field is in use.
Kind::AttributeType kind_of(const onnx::AttributeProto& proto) {
  if (proto.type() != Kind::UNDEFINED) return proto.type();
  if (proto.has_i()) return Kind::INT;
  if (proto.has_f()) return Kind::FLOAT;
  if (proto.has_s()) return Kind::STRING;
  if (proto.has_t()) return Kind::TENSOR;
  if (proto.has_g()) return Kind::GRAPH;
  if (proto.floats_size() > 0) return Kind::FLOATS;
  if (proto.strings_size() > 0) return Kind::STRINGS;
  return Kind::INTS;
}

template <typename Values>
Tensor list_constant(const std::string& name, ElementType type, const Values& values) {
  Tensor tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.is_constant = true;
  tensor.shape = PartialShape{{values.size(), {}}};
  tensor.bytes = byte_count(type, tensor.shape);
  if constexpr (std::is_integral_v<typename Values::value_type>) {
    if (values.size() <= max_integers) tensor.integers.emplace(values.begin(), values.end());
  }
  return tensor;
}

Tensor scalar_constant(const std::string& name, ElementType type, std::optional<std::int64_t> value) {
  Tensor tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.is_constant = true;
  tensor.shape = PartialShape{};
  tensor.bytes = byte_count(type, tensor.shape);
  if (value) tensor.integers = {{*value}};
  return tensor;
}

void check_graph_constants(const onnx::GraphProto& graph, const ModelPlace& place);

void check_nested(const onnx::NodeProto& node, const ModelPlace& place) {
  check_attribute_constants(node, place);
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) check_graph_constants(attribute.g(), place);
    for (const auto& graph : attribute.graphs()) check_graph_constants(graph, place);
  }
}

void check_graph_constants(const onnx::GraphProto& graph, const ModelPlace& place) {
  for (const auto& tensor : graph.initializer()) read_constant(tensor, tensor.name(), place);
  for (const auto& tensor : graph.sparse_initializer()) read_sparse_constant(tensor, tensor.values().name(), place);
  for (const auto& node : graph.node()) check_nested(node, place);
}

}  // namespace

std::optional<Attribute> read_attribute(const onnx::AttributeProto& proto) {
  switch (kind_of(proto)) {
    case Kind::INT:
      return proto.i();
    case Kind::FLOAT:
      return proto.f();
    case Kind::STRING:
      return proto.s();
    case Kind::INTS:
      return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
    case Kind::FLOATS:
      return std::vector<float>(proto.floats().begin(), proto.floats().end());
    case Kind::STRINGS:
      return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
    default:
      return std::nullopt;
  }
}

void write_attribute(onnx::AttributeProto& proto, const Attribute& value) {
  const auto set = [&](const auto& held) {
    using Value = std::decay_t<decltype(held)>;
    if constexpr (std::is_same_v<Value, std::int64_t>) {
      proto.set_type(Kind::INT);
      proto.set_i(held);
    } else if constexpr (std::is_same_v<Value, float>) {
      proto.set_type(Kind::FLOAT);
      proto.set_f(held);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      proto.set_type(Kind::STRING);
      proto.set_s(held);
    } else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) {
      proto.set_type(Kind::INTS);
      for (const auto item : held) proto.add_ints(item);
    } else if constexpr (std::is_same_v<Value, std::vector<float>>) {
      proto.set_type(Kind::FLOATS);
      for (const auto item : held) proto.add_floats(item);
    } else {
      proto.set_type(Kind::STRINGS);
      for (const auto& item : held) proto.add_strings(item);
    }
  };
  std::visit(set, value);
}

std::optional<Tensor> read_constant_node(const onnx::NodeProto& node, const std::string& output,
                                         const ModelPlace& place) {
  for (const auto& attribute : node.attribute()) {
    const std::string& name = attribute.name();
    if (name == "value" && attribute.has_t()) return read_constant(attribute.t(), output, place);
    if (name == "sparse_value" && attribute.has_sparse_tensor()) {
      return read_sparse_constant(attribute.sparse_tensor(), output, place);
    }
    if (name == "value_int") return scalar_constant(output, ElementType::i64, attribute.i());
    if (name == "value_float") return scalar_constant(output, ElementType::f32, std::nullopt);
    if (name == "value_string") return scalar_constant(output, ElementType::string, std::nullopt);
    if (name == "value_ints") return list_constant(output, ElementType::i64, attribute.ints());
    if (name == "value_floats") return list_constant(output, ElementType::f32, attribute.floats());
    if (name == "value_strings") return list_constant(output, ElementType::string, attribute.strings());
  }
  return std::nullopt;
}

void check_attribute_constants(const onnx::NodeProto& node, const ModelPlace& place) {
  for (const auto& attribute : node.attribute()) {
    const std::string name = node.name() + "." + attribute.name();
    if (attribute.has_t()) read_constant(attribute.t(), name, place);
    if (attribute.has_sparse_tensor()) read_sparse_constant(attribute.sparse_tensor(), name, place);
    for (const auto& tensor : attribute.tensors()) read_constant(tensor, name, place);
    for (const auto& tensor : attribute.sparse_tensors()) read_sparse_constant(tensor, name, place);
  }
}

void check_function_constants(const onnx::FunctionProto& function, const ModelPlace& place) {
  for (const auto& node : function.node()) check_nested(node, place);
  for (const auto& attribute : function.attribute_proto()) {
    if (attribute.has_t()) read_constant(attribute.t(), attribute.name(), place);
  }
}

}  // namespace takt
