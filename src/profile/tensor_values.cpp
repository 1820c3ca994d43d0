#include "profile/tensor_values.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace takt {
namespace {

template <typename Value>
Value read(const HostTensor& tensor, std::size_t index) {
  Value value;
  std::memcpy(&value, tensor.bytes.data() + index * sizeof value, sizeof value);
  return value;
}

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  double value = 0;
  if (exponent == 0x1f)
    value = fraction ? NAN : INFINITY;
  else
    value = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return bits & 0x8000 ? -value : value;
}

}  // namespace

std::size_t count_of(const HostTensor& tensor) {
  if (tensor.type == ElementType::string) return tensor.strings.size();
  const auto bits = type_bits(tensor.type);
  return bits && *bits >= 8 ? tensor.bytes.size() / static_cast<std::size_t>(*bits / 8) : 0;
}

std::optional<double> value_at(const HostTensor& tensor, std::size_t index) {
  switch (tensor.type) {
    case ElementType::f32:
      return read<float>(tensor, index);
    case ElementType::f64:
      return read<double>(tensor, index);
    case ElementType::f16:
      return from_half(read<std::uint16_t>(tensor, index));
    case ElementType::bf16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(read<std::uint16_t>(tensor, index)) << 16);
    case ElementType::i8:
      return read<std::int8_t>(tensor, index);
    case ElementType::boolean:
    case ElementType::u8:
      return read<std::uint8_t>(tensor, index);
    case ElementType::i16:
      return read<std::int16_t>(tensor, index);
    case ElementType::u16:
      return read<std::uint16_t>(tensor, index);
    case ElementType::i32:
      return read<std::int32_t>(tensor, index);
    case ElementType::u32:
      return read<std::uint32_t>(tensor, index);
    case ElementType::i64:
      return static_cast<double>(read<std::int64_t>(tensor, index));
    case ElementType::u64:
      return static_cast<double>(read<std::uint64_t>(tensor, index));
    default:
      return std::nullopt;
  }
}

bool is_float(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f64 || type == ElementType::f16 || type == ElementType::bf16;
}

std::string place_of(const Shape& shape, std::size_t index) {
  Shape place(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto size = static_cast<std::size_t>(shape[i]);
    place[i] = static_cast<std::int64_t>(size ? index % size : 0);
    index /= size ? size : 1;
  }
  return to_string(place);
}

}  // namespace takt
