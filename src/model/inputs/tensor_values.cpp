#include "model/inputs/tensor_values.h"

#include <cstring>

#include "base/basics/half.h"

namespace takt {
namespace {

template <typename Value>
Value number_at(const HostTensor& tensor, std::size_t index) {
  Value value;
  std::memcpy(&value, tensor.bytes.data() + index * sizeof value, sizeof value);
  return value;
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
      return number_at<float>(tensor, index);
    case ElementType::f64:
      return number_at<double>(tensor, index);
    case ElementType::f16:
      return from_half(number_at<std::uint16_t>(tensor, index));
    case ElementType::bf16:
      return from_bfloat(number_at<std::uint16_t>(tensor, index));
    case ElementType::i8:
      return number_at<std::int8_t>(tensor, index);
    case ElementType::boolean:
    case ElementType::u8:
      return number_at<std::uint8_t>(tensor, index);
    case ElementType::i16:
      return number_at<std::int16_t>(tensor, index);
    case ElementType::u16:
      return number_at<std::uint16_t>(tensor, index);
    case ElementType::i32:
      return number_at<std::int32_t>(tensor, index);
    case ElementType::u32:
      return number_at<std::uint32_t>(tensor, index);
    case ElementType::i64:
      return static_cast<double>(number_at<std::int64_t>(tensor, index));
    case ElementType::u64:
      return static_cast<double>(number_at<std::uint64_t>(tensor, index));
    default:
      return std::nullopt;
  }
}

bool is_float(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f64 || type == ElementType::f16 || type == ElementType::bf16;
}

std::string index_text(const Shape& shape, std::size_t index) {
  Shape place(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto size = static_cast<std::size_t>(shape[i]);
    place[i] = static_cast<std::int64_t>(size ? index % size : 0);
    index /= size ? size : 1;
  }
  return to_string(place);
}

}  // namespace takt
