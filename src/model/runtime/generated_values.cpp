#include "model/runtime/generated_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

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

/// A float of 8 bits or less below its sign, rounded towards 0; |value| is less than 1. What rounds to 0 has no sign: a
/// negative zero is NaN in the types without one.
struct SmallFloat {
  int mantissa_bits, bias, sign_bit;

  std::uint8_t operator()(float value) const {
    int exponent = 0;
    const float size = std::fabs(value), fraction = std::frexp(size, &exponent);  // in [0.5, 1)
    const int biased = exponent - 1 + bias;
    const int code = biased < 1
                         ? static_cast<int>(std::ldexp(size, bias - 1 + mantissa_bits))
                         : (biased << mantissa_bits) + static_cast<int>(std::ldexp(2 * fraction - 1, mantissa_bits));
    return static_cast<std::uint8_t>(code == 0 || value > 0 ? code : code | 1 << sign_bit);
  }
};

const SmallFloat* small_float(ElementType type) {
  static const std::map<ElementType, SmallFloat> floats{{ElementType::f8e4m3fn, {3, 7, 7}},
                                                        {ElementType::f8e4m3fnuz, {3, 8, 7}},
                                                        {ElementType::f8e5m2, {2, 15, 7}},
                                                        {ElementType::f8e5m2fnuz, {2, 16, 7}},
                                                        {ElementType::f4e2m1, {1, 1, 3}}};
  const auto known = floats.find(type);
  return known == floats.end() ? nullptr : &known->second;
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

/// Elements of less than a byte, the first in its lowest bits.
template <typename Make>
std::vector<std::byte> fill_packed(std::size_t count, int bits, Make make) {
  const std::size_t per_byte = 8 / static_cast<std::size_t>(bits);
  std::size_t left = count;
  return fill<std::uint8_t>(count / per_byte + (count % per_byte != 0), [&] {
    unsigned packed = 0;
    for (int shift = 0; shift < 8 && left > 0; shift += bits, --left) packed |= static_cast<unsigned>(make()) << shift;
    return packed;
  });
}

std::vector<std::byte> random_bytes(const Port& port, std::size_t count, LongRandom& random) {
  // The top 24 bits give every float the same exactness and the same value on every standard library.
  auto real = [&] { return static_cast<float>(random() >> 40) * 0x1p-23f - 1.0f; };
  auto bit = [&] { return random() >> 63; };
  if (const auto* small = small_float(port.type))
    return fill_packed(count, *type_bits(port.type), [&] { return (*small)(real()); });
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
    case ElementType::complex64:
      return fill<float>(2 * count, real);
    case ElementType::complex128:
      return fill<double>(2 * count, real);
    case ElementType::i4:
    case ElementType::u4:
    case ElementType::i2:
    case ElementType::u2:
      return fill_packed(count, *type_bits(port.type), bit);
    case ElementType::f8e8m0:  // powers of two: 0.5 or 1
      return fill<std::uint8_t>(count, [&] { return 126 + bit(); });
    default:
      throw Error(ErrorKind::unsupported, fmt::format("input '{}': values of type {} cannot be generated",
                                                      printable(port.name), type_name(port.type)));
  }
}

}  // namespace

bool can_generate(ElementType type) { return type != ElementType::undefined; }

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
