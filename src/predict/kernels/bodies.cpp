#include "predict/kernels/bodies.h"

#include <onnx-ml.pb.h>

#include <algorithm>

#include "base/basics/index.h"
#include "model/graph/attributes.h"

namespace takt {
namespace {

void declare_as(ElementType element, const std::optional<PartialShape>& shape, onnx::ValueInfoProto& value) {
  auto& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(static_cast<int>(element));
  type.clear_shape();
  if (!shape) return;
  auto& dims = *type.mutable_shape();
  for (const auto& dim : *shape) {
    auto& one = *dims.add_dim();
    if (dim.value) one.set_dim_value(*dim.value);
  }
}

/// Whether the operator's input at this place is gone over, a slice for each turn.
bool is_scanned(const Op& op, std::size_t place) {
  return op.type == "Scan" && place + index(integer_attribute(op, "num_scan_inputs")) >= op.inputs.size();
}

/// The body's formal inputs get what the operator's own are: Loop's first two are the number of the turn and whether
/// there is another, Scan's last ones a slice each, along the first axis as nearly all are.
void give_inputs(const Graph& known, const Op& op, onnx::GraphProto& body) {
  for (int i = op.type == "Loop" ? 2 : 0; i < body.input_size() && index(i) < op.inputs.size(); ++i) {
    const TensorId id = op.inputs[index(i)];
    if (id == no_tensor) continue;
    const Tensor& tensor = known.tensor(id);
    auto shape = tensor.shape;
    if (shape && !shape->empty() && is_scanned(op, index(i))) shape->erase(shape->begin());
    if (tensor.type != ElementType::undefined) declare_as(tensor.type, shape, *body.mutable_input(i));
  }
  for (int i = 0; op.type == "Loop" && i < std::min(2, body.input_size()); ++i)
    declare_as(i == 0 ? ElementType::i64 : ElementType::boolean, PartialShape{}, *body.mutable_input(i));
}

/// What the body takes from around it.
void give_captured(const OnnxModel& model, const Graph& known, const Graph& inner, onnx::GraphProto& body) {
  for (const Tensor& tensor : inner.tensors) {
    const auto id = tensor.is_captured ? known.find_tensor(tensor.name) : std::nullopt;
    if (!id) continue;
    const auto& constants = model.proto->graph().initializer();
    const auto constant =
        std::find_if(constants.begin(), constants.end(), [&](const auto& one) { return one.name() == tensor.name; });
    if (constant != constants.end()) {
      *body.add_initializer() = *constant;
      continue;
    }
    auto& input = *body.add_input();
    input.set_name(tensor.name);
    declare_as(known.tensor(*id).type, known.tensor(*id).shape, input);
  }
}

const Op* maker_of(const Graph& graph, TensorId id) {
  for (const Op& op : graph.ops)
    if (std::find(op.outputs.begin(), op.outputs.end(), id) != op.outputs.end()) return &op;
  return nullptr;
}

using IntegerList = std::vector<std::int64_t>;

/// What `op` makes of known sizes, as models take a count of turns from the length of an input; empty: not known.
IntegerList made_of_sizes(const Graph& known, const Op& op, int depth);

/// Values of a tensor that follow from constants and sizes alone; empty: they do not.
IntegerList integers_of(const Graph& known, TensorId id, int depth = 0) {
  constexpr int deepest = 20;
  if (id == no_tensor || depth > deepest) return {};
  if (const auto& constant = known.tensor(id).integers) return *constant;
  const Op* maker = maker_of(known, id);
  return maker && !maker->inputs.empty() ? made_of_sizes(known, *maker, depth + 1) : IntegerList{};
}

IntegerList made_of_sizes(const Graph& known, const Op& op, int depth) {
  if (op.type == "Shape" && op.attributes.empty()) {
    const auto& shape = known.tensor(op.inputs[0]).shape;
    return shape ? concrete(*shape).value_or(IntegerList{}) : IntegerList{};
  }
  const IntegerList values = integers_of(known, op.inputs[0], depth);
  for (const char* same : {"Squeeze", "Unsqueeze", "Reshape", "Cast", "Identity"})
    if (op.type == same) return values;
  if (op.type != "Gather" || op.inputs.size() < 2) return {};
  const IntegerList places = integers_of(known, op.inputs[1], depth);
  if (places.size() != 1 || values.empty()) return {};
  const auto count = static_cast<std::int64_t>(values.size());
  const std::int64_t place = places[0] < 0 ? places[0] + count : places[0];
  return place >= 0 && place < count ? IntegerList{values[index(place)]} : IntegerList{};
}

}  // namespace

onnx::ModelProto body_model(const OnnxModel& model, const Graph& known, const Op& op, const std::string& name) {
  onnx::ModelProto made;
  made.set_ir_version(model.proto->ir_version());
  *made.mutable_opset_import() = model.proto->opset_import();
  *made.mutable_functions() = model.proto->functions();
  for (const auto& attribute : model.proto->graph().node(op.node_index).attribute())
    if (attribute.name() == name) *made.mutable_graph() = attribute.g();
  if (made.graph().name().empty()) made.mutable_graph()->set_name(name);
  give_inputs(known, op, *made.mutable_graph());
  give_captured(model, known, *op.subgraphs.at(name), *made.mutable_graph());
  return made;
}

std::optional<double> turns_of(const Graph& known, const Op& op, const std::map<std::string, double>& given) {
  if (op.type == "If") return 1;
  if (op.type == "Loop") {
    if (op.inputs.empty() || op.inputs[0] == no_tensor) return std::nullopt;
    if (const IntegerList count = integers_of(known, op.inputs[0]); count.size() == 1)
      return static_cast<double>(std::max<std::int64_t>(0, count.front()));
    const auto found = given.find(known.tensor(op.inputs[0]).name);
    return found == given.end() ? std::nullopt : std::optional(std::max(0.0, found->second));
  }
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (!is_scanned(op, i) || op.inputs[i] == no_tensor) continue;
    const auto& shape = known.tensor(op.inputs[i]).shape;
    if (shape && !shape->empty() && shape->front().value) return static_cast<double>(*shape->front().value);
  }
  return std::nullopt;
}

}  // namespace takt
