#include "predict/kernels/model.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <unordered_map>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/quoted.h"
#include "base/basics/text.h"
#include "base/statistics/random.h"
#include "model/onnx/attributes.h"
#include "model/onnx/pieces.h"
#include "model/onnx/weights.h"
#include "model/runtime/generated_values.h"
#include "predict/kernels/tensor_numbers.h"

namespace takt {
namespace {

constexpr std::int64_t most_weight_bytes = (std::int64_t{1} << 31) - (1 << 16);  // protobuf's 2 GiB, with the rest

void declare_port(onnx::ValueInfoProto& value, const std::string& name, const KernelTensor& tensor) {
  value.set_name(name);
  auto& type = *value.mutable_type()->mutable_tensor_type();
  type.set_elem_type(static_cast<int>(tensor.type));
  auto& shape = *type.mutable_shape();
  for (const std::int64_t size : tensor.shape) shape.add_dim()->set_dim_value(size);
}

template <typename Number>
void change(HostTensor& tensor, const std::function<double(double)>& to) {
  for (std::size_t at = 0; at < tensor.bytes.size(); at += sizeof(Number)) {
    Number value;
    std::memcpy(&value, tensor.bytes.data() + at, sizeof value);
    value = static_cast<Number>(to(static_cast<double>(value)));
    std::memcpy(tensor.bytes.data() + at, &value, sizeof value);
  }
}

/// From values in [-1, 1) to those of weights: sums of products neither grow nor vanish, and vectors have no sign.
void scale_floats(HostTensor& tensor) {
  double fan_in = 1;
  if (tensor.shape.size() == 2) fan_in = static_cast<double>(tensor.shape[0]);
  if (tensor.shape.size() > 2)
    for (std::size_t i = 1; i < tensor.shape.size(); ++i) fan_in *= static_cast<double>(tensor.shape[i]);
  const double bound = std::sqrt(3.0 / std::max(1.0, fan_in));
  const bool is_matrix = tensor.shape.size() > 1;
  const auto to = [&](double value) { return is_matrix ? value * bound : 1 + value / 2; };
  if (tensor.type == ElementType::f32) change<float>(tensor, to);
  if (tensor.type == ElementType::f64) change<double>(tensor, to);
}

/// Integers that an index could be, all of the range.
void draw_integers(HostTensor& tensor, std::int64_t low, std::int64_t high, std::uint64_t seed) {
  Random random(seed);
  const auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const auto draw = [&](double) {
    return static_cast<double>(
        static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + (width == 0 ? random() : random() % width)));
  };
  switch (tensor.type) {
    case ElementType::i64:
      return change<std::int64_t>(tensor, draw);
    case ElementType::i32:
      return change<std::int32_t>(tensor, draw);
    case ElementType::i16:
      return change<std::int16_t>(tensor, draw);
    case ElementType::u16:
      return change<std::uint16_t>(tensor, draw);
    case ElementType::i8:
      return change<std::int8_t>(tensor, draw);
    case ElementType::u8:
      return change<std::uint8_t>(tensor, draw);
    default:
      return;
  }
}

void draw_weight(onnx::TensorProto& to, const KernelTensor& tensor, std::uint64_t seed) {
  to.set_data_type(static_cast<int>(tensor.type));
  for (const std::int64_t size : tensor.shape) to.add_dims(size);
  if (tensor.values) {
    to.set_raw_data(tensor.values->data(), tensor.values->size());
    return;
  }
  HostTensor drawn = generate_values({"weight", tensor.type, {}}, tensor.shape, seed);
  scale_floats(drawn);
  if (tensor.low) draw_integers(drawn, *tensor.low, *tensor.high, seed);
  for (const std::string& text : drawn.strings) to.add_string_data(text);
  if (drawn.strings.empty()) to.set_raw_data(std::as_const(drawn.bytes).data(), drawn.bytes.size());
}

void refuse_obstacle(const KernelRecord& record, const std::string& why) {
  throw Error(ErrorKind::unsupported, fmt::format("{}: cannot be extracted as a model: {}", quoted_part(record.name),
                                                  without_middle(printable(why), 300)));
}

void check_size(const KernelRecord& record) {
  std::int64_t bytes = 0;
  for (const KernelTensor& tensor : record.inputs) {
    if (tensor.kind != KernelInput::weight) continue;
    const auto elements = element_count(tensor.shape);
    bytes += elements ? byte_count(tensor.type, *elements).value_or(0) : most_weight_bytes + 1;
    if (bytes > most_weight_bytes) refuse_obstacle(record, "its weights take more than 2 GiB");
  }
}

class KernelWriter {
 public:
  KernelWriter(const KernelRecord& record, const WeightSource& weights, std::uint64_t seed)
      : record_(record), weights_(weights), seed_(seed) {}

  onnx::ModelProto write() {
    onnx::ModelProto model;
    model.set_ir_version(std::max<std::int64_t>(4, record_.ir_version));
    model.set_producer_name("takt");
    for (const auto& [domain, version] : record_.opsets) {
      auto& imported = *model.add_opset_import();
      imported.set_domain(domain), imported.set_version(version);
    }
    onnx::GraphProto& graph = *model.mutable_graph();
    graph.set_name(record_.name);
    onnx::NodeProto& node = *graph.add_node();
    node.set_name(record_.name), node.set_op_type(record_.type), node.set_domain(record_.domain);
    for (const auto& [name, value] : record_.attributes) {
      auto& attribute = *node.add_attribute();
      attribute.set_name(name);
      write_attribute(attribute, value);
    }
    for (std::size_t i = 0; i < record_.inputs.size(); ++i) node.add_input(add_input(graph, i));
    for (std::size_t i = 0; i < record_.outputs.size(); ++i) node.add_output(add_output(graph, i));
    return model;
  }

 private:
  std::string add_input(onnx::GraphProto& graph, std::size_t place) {
    const KernelTensor& tensor = record_.inputs[place];
    if (tensor.kind == KernelInput::left_out) return {};
    const bool is_weight = tensor.kind == KernelInput::weight;
    if (tensor.same_as) return (is_weight ? "w" : "x") + std::to_string(*tensor.same_as);
    const std::string name = (is_weight ? "w" : "x") + std::to_string(place);
    if (!is_weight) {
      declare_port(*graph.add_input(), name, tensor);
      return name;
    }
    onnx::TensorProto& constant = *graph.add_initializer();
    if (const auto* own = weights_ ? weights_(place) : nullptr)
      constant = *own;
    else
      draw_weight(constant, tensor, seed_ + place);
    constant.set_name(name);
    return name;
  }

  std::string add_output(onnx::GraphProto& graph, std::size_t place) const {
    const KernelTensor& tensor = record_.outputs[place];
    if (tensor.kind == KernelInput::left_out) return {};
    const std::string name = "y" + std::to_string(place);
    declare_port(*graph.add_output(), name, tensor);
    return name;
  }

  const KernelRecord& record_;
  const WeightSource& weights_;
  std::uint64_t seed_;
};

OnnxModel parsed(const onnx::ModelProto& proto) { return parse_onnx(serialize_onnx(proto), {}); }

/// The operators that a kernel stands for, with what goes in and out of them.
OnnxModel group_model(const OptimisedKernels& kernels, const KernelInstance& kernel, const KernelRecord& record) {
  if (!kernels.model.proto) refuse_obstacle(record, "the model is not an ONNX file");
  const Graph& graph = kernels.model.graph;
  const std::set<std::string> wanted(kernel.model_ops.begin(), kernel.model_ops.end());
  Piece piece;
  for (std::size_t i = 0; i < graph.ops.size(); ++i)
    if (wanted.contains(graph.ops[i].name)) piece.ops.push_back(static_cast<int>(i));
  if (piece.ops.empty()) refuse_obstacle(record, "it corresponds to no operator of the model");
  const auto add = [&](const std::vector<std::string>& names, std::vector<TensorId>& ids) {
    for (const std::string& name : names)
      if (const auto id = graph.find_tensor(name); id && !graph.tensor(*id).is_constant) ids.push_back(*id);
  };
  add(kernel.inputs, piece.inputs), add(kernel.outputs, piece.outputs);
  onnx::ModelProto made = piece_model(kernels.model, graph, piece, record.name);
  bring_weights_inside(made, graph.path);
  return parsed(made);
}

}  // namespace

OnnxModel kernel_model(const KernelRecord& record, const WeightSource& weights, std::uint64_t seed) {
  if (!record.obstacle.empty()) refuse_obstacle(record, record.obstacle);
  check_size(record);
  return parsed(KernelWriter(record, weights, seed).write());
}

OnnxModel kernel_model(const OptimisedKernels& kernels, std::size_t kernel) {
  const KernelInstance& instance = kernels.graph.kernels[kernel];
  const KernelRecord& record = kernels.records.at(instance.record);
  if (!kernels.is_saved) return group_model(kernels, instance, record);
  std::unordered_map<std::string_view, const onnx::TensorProto*> constants;
  for (const auto& tensor : kernels.model.proto->graph().initializer()) constants.emplace(tensor.name(), &tensor);
  return kernel_model(record, [&](std::size_t place) -> const onnx::TensorProto* {
    const auto found = constants.find(instance.inputs[place]);
    return found == constants.end() ? nullptr : found->second;
  });
}

std::filesystem::path kernel_model_path(const std::filesystem::path& folder, const std::string& id) {
  return folder / (id + ".onnx");
}

}  // namespace takt
