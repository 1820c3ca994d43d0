#include "model/graph/graph.h"

#include <algorithm>
#include <array>

namespace takt {
namespace {

struct TypeFacts {
  std::string_view name;
  int bits;  // 0: not of a fixed size
};

// Indexed by the number in TensorProto.DataType. Packed types (4 and 2 bits) count their bits, not the byte they share.
constexpr std::array<TypeFacts, 27> type_facts = {{
    {"undefined", 0},      {"float32", 32},  {"uint8", 8},        {"int8", 8},           {"uint16", 16},
    {"int16", 16},         {"int32", 32},    {"int64", 64},       {"string", 0},         {"bool", 8},
    {"float16", 16},       {"float64", 64},  {"uint32", 32},      {"uint64", 64},        {"complex64", 64},
    {"complex128", 128},   {"bfloat16", 16}, {"float8e4m3fn", 8}, {"float8e4m3fnuz", 8}, {"float8e5m2", 8},
    {"float8e5m2fnuz", 8}, {"uint4", 4},     {"int4", 4},         {"float4e2m1", 4},     {"float8e8m0", 8},
    {"uint2", 2},          {"int2", 2},
}};

TypeFacts facts_of(ElementType type) {
  const auto index = static_cast<std::size_t>(type);
  return index < type_facts.size() ? type_facts[index] : type_facts[0];
}

template <typename Items, typename Spell>
std::string in_braces(const Items& items, Spell spell) {
  std::string text = "{";
  for (const auto& item : items) {
    if (text.size() > 1) text += ',';
    text += spell(item);
  }
  return text + '}';
}

}  // namespace

std::string_view type_name(ElementType type) { return facts_of(type).name; }

std::optional<int> type_bits(ElementType type) {
  const int bits = facts_of(type).bits;
  return bits == 0 ? std::nullopt : std::optional(bits);
}

std::optional<Shape> concrete(const PartialShape& shape) {
  Shape result;
  result.reserve(shape.size());
  for (const Dim& dim : shape) {
    if (!dim.value) return std::nullopt;
    result.push_back(*dim.value);
  }
  return result;
}

std::optional<std::int64_t> element_count(const Shape& shape) {
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t dim) { return dim < 0; })) return std::nullopt;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;  // before an overflow of the others
  std::int64_t count = 1;
  for (const std::int64_t dim : shape) {
    if (__builtin_mul_overflow(count, dim, &count)) return std::nullopt;
  }
  return count;
}

std::string to_string(const Shape& shape) {
  return in_braces(shape, [](std::int64_t dim) { return std::to_string(dim); });
}

std::string to_string(const PartialShape& shape) {
  return in_braces(shape, [](const Dim& dim) {
    if (dim.value) return std::to_string(*dim.value);
    return dim.symbol.empty() ? std::string("?") : dim.symbol;
  });
}

std::optional<std::int64_t> byte_count(ElementType type, std::int64_t elements) {
  const auto bits = type_bits(type);
  if (!bits || elements < 0) return std::nullopt;
  if (*bits < 8) {
    const int per_byte = 8 / *bits;
    return elements / per_byte + (elements % per_byte != 0);
  }
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(elements, *bits / 8, &bytes)) return std::nullopt;
  return bytes;
}

std::optional<std::int64_t> byte_count(ElementType type, const std::optional<PartialShape>& shape) {
  if (!shape) return std::nullopt;
  const auto known = concrete(*shape);
  if (!known) return std::nullopt;
  const auto elements = element_count(*known);
  return elements ? byte_count(type, *elements) : std::nullopt;
}

bool is_folded(const Graph& graph, const Op& op) {
  return !op.outputs.empty() && std::all_of(op.outputs.begin(), op.outputs.end(), [&](TensorId id) {
    return id == no_tensor || graph.tensor(id).is_constant;
  });
}

std::optional<TensorId> Graph::find_tensor(std::string_view tensor_name) const {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == tensor_name; });
  if (found == tensors.end()) return std::nullopt;
  return static_cast<TensorId>(found - tensors.begin());
}

}  // namespace takt
