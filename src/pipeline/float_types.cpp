#include "pipeline/float_types.h"

#include <cstring>

#include "core/check.h"
#include "core/half.h"

namespace takt {
namespace {

bool is_float(ElementType type) {
  return type == ElementType::f16 || type == ElementType::bf16 || type == ElementType::f32 || type == ElementType::f64;
}

template <typename Stored, typename Number>
std::vector<double> numbers_in(const Bytes& bytes, Number number) {
  std::vector<Stored> stored(bytes.size() / sizeof(Stored));
  if (!stored.empty()) std::memcpy(stored.data(), bytes.data(), stored.size() * sizeof(Stored));
  std::vector<double> numbers;
  numbers.reserve(stored.size());
  for (const Stored one : stored) numbers.push_back(number(one));
  return numbers;
}

std::vector<double> numbers_of(const HostTensor& value) {
  if (value.type == ElementType::f16) return numbers_in<std::uint16_t>(value.bytes, from_half);
  if (value.type == ElementType::bf16) return numbers_in<std::uint16_t>(value.bytes, from_bfloat);
  if (value.type == ElementType::f32) return numbers_in<float>(value.bytes, [](float one) { return one; });
  return numbers_in<double>(value.bytes, [](double one) { return one; });
}

template <typename Stored, typename Store>
Bytes stored_as(const std::vector<double>& numbers, Store store) {
  std::vector<Stored> stored;
  stored.reserve(numbers.size());
  for (const double one : numbers) stored.push_back(store(one));
  return to_bytes(stored);
}

Bytes bytes_of(const std::vector<double>& numbers, ElementType type) {
  if (type == ElementType::f16) return stored_as<std::uint16_t>(numbers, to_half);
  if (type == ElementType::bf16) return stored_as<std::uint16_t>(numbers, to_bfloat);
  if (type == ElementType::f32) return stored_as<float>(numbers, [](double one) { return static_cast<float>(one); });
  return stored_as<double>(numbers, [](double one) { return one; });
}

}  // namespace

bool hands_on_as(ElementType from, ElementType to) { return from == to || (is_float(from) && is_float(to)); }

SharedTensor in_type(const SharedTensor& value, ElementType type) {
  if (value->type == type) return value;
  TAKT_CHECK(hands_on_as(value->type, type));
  return std::make_shared<const HostTensor>(
      HostTensor{value->name, type, value->shape, bytes_of(numbers_of(*value), type), {}});
}

std::int64_t fit_types(StageExecutor::InputValues& values, const std::vector<Port>& inputs) {
  std::int64_t bytes = 0;
  for (auto& [port, value] : values) {
    if (port >= inputs.size() || !value || value->type == inputs[port].type ||
        !hands_on_as(value->type, inputs[port].type))
      continue;
    value = in_type(value, inputs[port].type);
    bytes += static_cast<std::int64_t>(value->bytes.size());
  }
  return bytes;
}

}  // namespace takt
