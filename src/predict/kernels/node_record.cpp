#include "predict/kernels/node_record.h"

#include <onnx-ml.pb.h>

#include <algorithm>
#include <cstring>

#include "base/basics/index.h"
#include "base/basics/text.h"
#include "predict/kernels/name.h"
#include "predict/kernels/tensor_numbers.h"

namespace takt {
namespace {

/// Shapes, axes and pads have at most so many; longer lists are indices, of which only the range matters.
constexpr std::int64_t most_values = 64;

template <typename Number, typename Values>
std::vector<std::byte> packed(const Values& values) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(values.size()) * sizeof(Number));
  for (int i = 0; i < values.size(); ++i) {
    const auto number = static_cast<Number>(values.Get(i));
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof number, &number, sizeof number);
  }
  return bytes;
}

/// Its bytes as in a HostTensor; empty: of another type, or somewhere else.
std::vector<std::byte> bytes_in(const onnx::TensorProto& constant) {
  if (!constant.raw_data().empty()) {
    const auto* first = reinterpret_cast<const std::byte*>(constant.raw_data().data());
    return {first, first + constant.raw_data().size()};
  }
  switch (static_cast<ElementType>(constant.data_type())) {
    case ElementType::f32:
      return packed<float>(constant.float_data());
    case ElementType::f64:
      return packed<double>(constant.double_data());
    case ElementType::i64:
      return packed<std::int64_t>(constant.int64_data());
    case ElementType::i32:
      return packed<std::int32_t>(constant.int32_data());
    case ElementType::i16:
      return packed<std::int16_t>(constant.int32_data());
    case ElementType::u16:
      return packed<std::uint16_t>(constant.int32_data());
    case ElementType::i8:
      return packed<std::int8_t>(constant.int32_data());
    case ElementType::u8:
    case ElementType::boolean:
      return packed<std::uint8_t>(constant.int32_data());
    default:
      return {};
  }
}

bool is_integer(ElementType type) {
  return type == ElementType::i64 || type == ElementType::i32 || type == ElementType::i16 || type == ElementType::u16 ||
         type == ElementType::i8 || type == ElementType::u8;
}

/// Scales, zero points and biases differ from layer to layer and change nothing but the results.
bool is_quantised(const Op& op) {
  for (const char* word : {"QLinear", "Quantize", "Dequantize", "Integer", "QGemm", "QAttention", "NBits"})
    if (op.type.find(word) != std::string::npos) return true;
  return false;
}

bool is_upright(const KernelTensor& tensor) {
  return tensor.type == ElementType::f32 || tensor.type == ElementType::f64;
}

void set_obstacle(KernelRecord& record, std::string why) {
  if (record.obstacle.empty()) record.obstacle = std::move(why);
}

}  // namespace

NodeRecords::NodeRecords(const OnnxModel& model, const Graph& graph) : model_(model), graph_(graph) {
  for (const auto& tensor : model.proto->graph().initializer()) constants_.emplace(tensor.name(), &tensor);
}

KernelTensor NodeRecords::tensor_of(TensorId id, KernelRecord& record) const {
  KernelTensor tensor;
  if (id == no_tensor) {
    tensor.kind = KernelInput::left_out;
    return tensor;
  }
  const Tensor& known = graph_.tensor(id);
  tensor.type = known.type;
  if (known.type == ElementType::undefined) {
    tensor.type = ElementType::f32;
    set_obstacle(record, "'" + printable(known.name) + "' is not a tensor, or its type is unknown");
  }
  if (const auto shape = known.shape ? concrete(*known.shape) : std::nullopt)
    tensor.shape = *shape;
  else
    set_obstacle(record, "the shape of '" + printable(known.name) + "' is unknown");
  return tensor;
}

/// Of a constant: the values where they decide what happens, else the range of integers.
void NodeRecords::keep_values(KernelTensor& tensor, const onnx::TensorProto& constant, bool is_quantised) const {
  const auto count = element_count(tensor.shape).value_or(0);
  const bool decides = tensor.type == ElementType::i64 || tensor.type == ElementType::boolean ||
                       (!is_quantised && tensor.type == ElementType::i32);
  const bool is_number = !is_quantised && is_upright(tensor) && count == 1;
  if (!decides && !is_number && !is_integer(tensor.type)) return;
  const std::vector<std::byte> bytes = bytes_in(constant);
  if (bytes.empty()) return;
  if ((decides && count <= most_values) || is_number) {
    tensor.values = bytes;
    return;
  }
  if (!is_integer(tensor.type)) return;
  for (const auto& number : numbers_json(tensor.type, bytes)) {
    const auto value = number.get<std::int64_t>();
    tensor.low = std::min(value, tensor.low.value_or(value));
    tensor.high = std::max(value, tensor.high.value_or(value));
  }
}

KernelTensor NodeRecords::input(const Op& op, std::size_t place, KernelRecord& record) const {
  const TensorId id = op.inputs[place];
  KernelTensor tensor = tensor_of(id, record);
  if (id == no_tensor) return tensor;
  for (std::size_t i = 0; i < place; ++i)
    if (op.inputs[i] == id && !tensor.same_as) tensor.same_as = static_cast<int>(i);
  const Tensor& known = graph_.tensor(id);
  if (!known.is_constant) return tensor;
  tensor.kind = KernelInput::weight;
  const auto constant = constants_.find(known.name);
  if (constant == constants_.end()) {
    set_obstacle(record, "the constant '" + printable(known.name) + "' is computed by another node");
    return tensor;
  }
  keep_values(tensor, *constant->second, is_quantised(op));
  // Of Resize and its kin the factors are several numbers and make the shape.
  const bool makes_shape = op.type == "Resize" || op.type == "Upsample";
  if (makes_shape && is_upright(tensor) && element_count(tensor.shape).value_or(0) <= most_values)
    if (auto bytes = bytes_in(*constant->second); !bytes.empty()) tensor.values = std::move(bytes);
  return tensor;
}

KernelRecord NodeRecords::of(const Op& op) const {
  KernelRecord record;
  const CanonicalName canonical = canonical_name(op);
  record.name = printable(canonical.name);
  record.layout = canonical.layout;
  record.type = op.type, record.domain = op.domain;
  record.attributes = op.attributes;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) record.inputs.push_back(input(op, i, record));
  for (const TensorId id : op.outputs) record.outputs.push_back(tensor_of(id, record));
  record.cost = cost(graph_, op);
  for (const std::string& domain : {std::string(), op.domain})
    if (const auto version = graph_.opsets.find(domain); version != graph_.opsets.end())
      record.opsets[domain] = version->second;
  record.ir_version = graph_.ir_version;
  if (!op.subgraphs.empty()) set_obstacle(record, "it runs a subgraph, which records do not contain");
  const auto& node = model_.proto->graph().node(op.node_index);
  if (static_cast<std::size_t>(node.attribute_size()) != op.attributes.size() + op.subgraphs.size())
    set_obstacle(record, "it has an attribute that is neither a number nor a string");
  return record;
}

}  // namespace takt
