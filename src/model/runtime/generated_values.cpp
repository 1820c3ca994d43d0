#include "model/runtime/generated_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/basics/error.h"
#include "base/basics/half.h"
#include "base/basics/text.h"
#include "base/memory/large_pages.h"
#include "base/statistics/random.h"

namespace takt {
namespace {

/// What would round to 1 becomes the number below it, so that the range stays half open.
std::uint16_t half_below_one(float value) {
  return value > 0 ? std::min<std::uint16_t>(to_half(value), 0x3BFF) : to_half(value);
}
std::uint16_t bfloat_below_one(float value) {
  return value > 0 ? std::min<std::uint16_t>(to_bfloat(value), 0x3F7F) : to_bfloat(value);
}

template <typename T, typename Make>
std::vector<std::byte> fill(std::size_t count, Make make) {
  std::vector<std::byte> bytes;
  reserve_large(bytes, count * sizeof(T));  // as NumPy does with what users read and make
  bytes.resize(count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) {
    T value = static_cast<T>(make());
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

std::vector<std::byte> random_bytes(const Port& port, std::size_t count, LongRandom& random) {
  // The top 24 bits give every float the same exactness and the same value on every standard library.
  auto real = [&] { return static_cast<float>(random() >> 40) * 0x1p-23f - 1.0f; };
  auto bit = [&] { return random() >> 63; };
  switch (port.type) {
    case ElementType::f32:
      return fill<float>(count, real);
    case ElementType::f64:
      return fill<double>(count, real);
    case ElementType::f16:
      return fill<std::uint16_t>(count, [&] { return half_below_one(real()); });
    case ElementType::bf16:
      return fill<std::uint16_t>(count, [&] { return bfloat_below_one(real()); });
    case ElementType::i8:
    case ElementType::u8:
    case ElementType::boolean:
      return fill<std::uint8_t>(count, bit);
    case ElementType::i16:
    case ElementType::u16:
      return fill<std::uint16_t>(count, bit);
    case ElementType::i32:
    case ElementType::u32:
      return fill<std::uint32_t>(count, bit);
    case ElementType::i64:
    case ElementType::u64:
      return fill<std::uint64_t>(count, bit);
    default:
      throw Error(ErrorKind::unsupported, fmt::format("input '{}': values of type {} cannot be generated",
                                                      printable(port.name), type_name(port.type)));
  }
}

}  // namespace

bool can_generate(ElementType type) {
  static constexpr ElementType types[] = {ElementType::boolean, ElementType::f16,   ElementType::bf16, ElementType::f32,
                                          ElementType::f64,     ElementType::i8,    ElementType::i16,  ElementType::i32,
                                          ElementType::i64,     ElementType::u8,    ElementType::u16,  ElementType::u32,
                                          ElementType::u64,     ElementType::string};
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

HostTensor generate_values(const Port& port, const Shape& shape, std::uint64_t seed) {
  HostTensor tensor{port.name, port.type, shape, {}, {}};
  const auto elements = static_cast<std::size_t>(*element_count(shape));
  LongRandom random(seed);
  if (port.type == ElementType::string)
    tensor.strings.assign(elements, "a");
  else
    tensor.bytes = random_bytes(port, elements, random);
  return tensor;
}

}  // namespace takt
