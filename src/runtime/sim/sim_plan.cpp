#include "runtime/sim/sim_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "graph/cost.h"
#include "runtime/tensors.h"

namespace takt {
namespace {

const Tensor& tensor_of(const Graph& graph, TensorId id) { return graph.tensors[static_cast<std::size_t>(id)]; }

void substitute(PartialShape& shape, const std::map<std::string, std::int64_t>& symbols) {
  for (auto& dim : shape)
    if (const auto found = symbols.find(dim.symbol); !dim.value && found != symbols.end()) dim.value = found->second;
}

// Every real runtime computes constants when it loads a model.
bool is_folded(const Graph& graph, const Op& op) {
  return !op.outputs.empty() && std::all_of(op.outputs.begin(), op.outputs.end(), [&](TensorId id) {
    return id == no_tensor || tensor_of(graph, id).is_constant;
  });
}

void add_tensors(const Graph& graph, const std::vector<TensorId>& ids, std::vector<std::string>& names,
                 std::vector<Shape>& shapes) {
  bool complete = true;
  for (const auto id : ids) {
    if (id == no_tensor) continue;
    const auto& tensor = tensor_of(graph, id);
    names.push_back(tensor.name);
    const auto shape = tensor.shape ? concrete(*tensor.shape) : std::nullopt;
    complete = complete && shape;
    if (shape) shapes.push_back(*shape);
  }
  if (!complete) shapes.clear();  // all or none: a reader zips them with the names
}

// IEEE half of a number in [0, 1): enough for values, and without a library.
std::uint16_t half_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const int exponent = static_cast<int>((bits >> 23) & 0xff) - 127 + 15;
  if (exponent <= 0) return 0;
  return static_cast<std::uint16_t>((exponent << 10) | ((bits >> 13) & 0x3ff));
}

template <typename T>
void put(std::vector<std::byte>& bytes, std::size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof value, &value, sizeof value);
}

void fill(HostTensor& tensor, std::size_t count, std::uint64_t seed) {
  NoiseSource random({}, seed);
  const std::size_t width = count ? tensor.bytes.size() / count : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = random.next();
    const float value = static_cast<float>(bits >> 40) / 16777216.0f;
    switch (tensor.type) {
      case ElementType::f32:
        put(tensor.bytes, i, value);
        break;
      case ElementType::f64:
        put(tensor.bytes, i, static_cast<double>(value));
        break;
      case ElementType::f16:
        put(tensor.bytes, i, half_of(value));
        break;
      case ElementType::bf16: {
        std::uint32_t word = 0;
        std::memcpy(&word, &value, sizeof word);
        put(tensor.bytes, i, static_cast<std::uint16_t>(word >> 16));
        break;
      }
      // 0 or 1 in the lowest byte (little endian, as the host): valid for every integer type and as a bool.
      default:
        tensor.bytes[i * width] = static_cast<std::byte>(bits & 1);
        break;
    }
  }
}

}  // namespace

Graph with_input_shapes(const Graph& graph, const std::map<std::string, Shape>& input_shapes, std::string_view where) {
  Graph result = graph;
  std::vector<std::string> names;
  for (const auto id : graph.inputs) names.push_back(tensor_of(graph, id).name);
  check_shape_names(names, input_shapes, where);
  std::map<std::string, std::int64_t> symbols;
  for (const auto id : graph.inputs) {
    auto& tensor = result.tensors[static_cast<std::size_t>(id)];
    const auto wanted = input_shapes.find(tensor.name);
    if (wanted == input_shapes.end()) continue;
    const PartialShape declared = tensor.shape ? *tensor.shape : PartialShape(wanted->second.size());
    tensor.shape = fix_shape(declared, wanted->second, where, tensor.name);
    for (std::size_t i = 0; i < declared.size(); ++i)
      if (!declared[i].value && !declared[i].symbol.empty()) symbols.emplace(declared[i].symbol, wanted->second[i]);
  }
  for (auto& tensor : result.tensors) {
    if (!tensor.shape) continue;
    substitute(*tensor.shape, symbols);
    const auto shape = concrete(*tensor.shape);
    if (const auto size = shape ? byte_size(tensor.type, *shape) : std::nullopt)
      tensor.bytes = static_cast<std::int64_t>(*size);
  }
  return result;
}

std::vector<Port> ports_of(const Graph& graph, const std::vector<TensorId>& ids) {
  std::vector<Port> ports;
  for (const auto id : ids) {
    const auto& tensor = tensor_of(graph, id);
    ports.push_back({tensor.name, tensor.type, tensor.shape.value_or(PartialShape{})});
  }
  return ports;
}

std::vector<OpSample> plan_ops(const Graph& graph, const DeviceDescription& device, std::string_view where) {
  std::vector<OpSample> plan;
  Nanoseconds at{0};
  for (const auto& op : graph.ops) {
    if (is_folded(graph, op)) continue;
    if (device.unsupported_ops.count(op.type))
      throw Error(ErrorKind::unsupported, fmt::format("{}: sim:{} does not support operator '{}' of type {}; use "
                                                      "another device",
                                                      where, device.name, op.name, op.type));
    const Cost demand = cost(graph, op);
    auto& sample = plan.emplace_back();
    sample.name = op.name;
    sample.type = op.type;
    sample.model_ops = {op.name};
    sample.start = at;
    const auto bytes = demand.bytes ? std::optional(static_cast<double>(*demand.bytes)) : std::nullopt;
    sample.duration = law_time(device.law, {op.type, demand.flops, bytes});
    add_tensors(graph, op.inputs, sample.inputs, sample.input_shapes);
    add_tensors(graph, op.outputs, sample.outputs, sample.output_shapes);
    at += sample.duration;
  }
  return plan;
}

std::optional<HostTensor> seeded_tensor(const Port& port, std::uint64_t seed) {
  const auto shape = concrete(port.shape);
  if (!shape) return std::nullopt;
  HostTensor tensor{port.name, port.type, *shape, {}, {}};
  const auto count = element_count(*shape);
  constexpr std::int64_t most_elements = std::int64_t{1} << 28;
  if (!count || *count > most_elements) return std::nullopt;
  if (port.type == ElementType::string) {
    tensor.strings.resize(static_cast<std::size_t>(*count));
    return tensor;
  }
  const auto size = byte_size(port.type, *shape);
  if (!size) return std::nullopt;
  tensor.bytes.resize(*size);
  fill(tensor, static_cast<std::size_t>(*count), seed);
  return tensor;
}

}  // namespace takt
