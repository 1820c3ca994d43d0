#include "model/inputs/tensor_convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/half.h"
#include "base/basics/text.h"
#include "model/inputs/tensor_values.h"

namespace takt {
namespace {

// Every source is one of three wide types without loss; every target says whether it holds a wide value. So there are
// 3 x 13 small conversions and not 13 x 13.
template <typename Wide>
using Load = Wide (*)(const std::byte*);
template <typename Wide>
using Store = bool (*)(Wide, Rounding, std::byte*);

template <typename Stored>
Stored read(const std::byte* from) {
  Stored value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename Stored>
bool write(Stored value, std::byte* to) {
  std::memcpy(to, &value, sizeof value);
  return true;
}

template <typename Wide, typename Stored>
Wide load(const std::byte* from) {
  return static_cast<Wide>(read<Stored>(from));
}
double load_half(const std::byte* from) { return from_half(read<std::uint16_t>(from)); }
double load_bfloat(const std::byte* from) { return from_bfloat(read<std::uint16_t>(from)); }

template <typename Wide, typename Integer>
bool store_integer(Wide value, Rounding, std::byte* to) {
  if constexpr (std::is_same_v<Wide, double>) {
    // 2^digits is exact where the greatest value itself is not; NaN fails every comparison.
    const double end = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
    const double begin = std::is_signed_v<Integer> ? -end : 0.0;
    return value >= begin && value < end && std::trunc(value) == value && write(static_cast<Integer>(value), to);
  } else {
    return std::in_range<Integer>(value) && write(static_cast<Integer>(value), to);
  }
}

template <typename Wide>
bool store_boolean(Wide value, Rounding, std::byte* to) {
  return (value == Wide{0} || value == Wide{1}) && write(static_cast<std::uint8_t>(value != Wide{0}), to);
}

/// Whether `narrow`, the nearest number of a float type, may stand for `value`. NaN is NaN in every float type.
template <typename Wide>
bool stands_for(double narrow, Wide value, Rounding rounding) {
  if (rounding == Rounding::nearest) return true;
  if constexpr (std::is_same_v<Wide, double>) {
    if (std::isnan(value) || narrow == value) return true;
    return rounding == Rounding::decimal && std::isfinite(narrow) && std::isfinite(value);
  } else if constexpr (std::is_same_v<Wide, std::int64_t>) {
    return narrow >= -0x1p63 && narrow < 0x1p63 && static_cast<std::int64_t>(narrow) == value;
  } else {
    return narrow < 0x1p64 && static_cast<std::uint64_t>(narrow) == value;
  }
}

template <typename Wide, typename Float>
bool store_float(Wide value, Rounding rounding, std::byte* to) {
  const auto narrow = static_cast<Float>(value);
  return stands_for(static_cast<double>(narrow), value, rounding) && write(narrow, to);
}

template <typename Wide, std::uint16_t (*Narrow)(double), float (*Widen)(std::uint16_t)>
bool store_small_float(Wide value, Rounding rounding, std::byte* to) {
  // Integers that double rounds have too many digits for 16 bits anyway, and stands_for looks at the original.
  const std::uint16_t narrow = Narrow(static_cast<double>(value));
  return stands_for(static_cast<double>(Widen(narrow)), value, rounding) && write(narrow, to);
}

template <typename Wide>
Store<Wide> store_for(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return store_float<Wide, float>;
    case ElementType::f64:
      return store_float<Wide, double>;
    case ElementType::f16:
      return store_small_float<Wide, to_half, from_half>;
    case ElementType::bf16:
      return store_small_float<Wide, to_bfloat, from_bfloat>;
    case ElementType::i8:
      return store_integer<Wide, std::int8_t>;
    case ElementType::i16:
      return store_integer<Wide, std::int16_t>;
    case ElementType::i32:
      return store_integer<Wide, std::int32_t>;
    case ElementType::i64:
      return store_integer<Wide, std::int64_t>;
    case ElementType::u8:
      return store_integer<Wide, std::uint8_t>;
    case ElementType::u16:
      return store_integer<Wide, std::uint16_t>;
    case ElementType::u32:
      return store_integer<Wide, std::uint32_t>;
    case ElementType::u64:
      return store_integer<Wide, std::uint64_t>;
    case ElementType::boolean:
      return store_boolean<Wide>;
    default:
      return nullptr;
  }
}

template <typename Wide>
HostTensor convert_numbers(const HostTensor& from, ElementType type, Rounding rounding, std::string_view where,
                           Load<Wide> load) {
  const auto from_size = static_cast<std::size_t>(*type_bits(from.type)) / 8;
  const auto size = static_cast<std::size_t>(*type_bits(type)) / 8;
  const Store<Wide> store = store_for<Wide>(type);
  const std::size_t count = from.bytes.size() / from_size;
  HostTensor to{from.name, type, from.shape, std::vector<std::byte>(count * size), {}};
  for (std::size_t i = 0; i < count; ++i) {
    const Wide value = load(from.bytes.data() + i * from_size);
    if (store(value, rounding, to.bytes.data() + i * size)) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: {} at {} is {}, which {} does not hold; give values of that type", where, value,
                            index_text(from.shape, i), type_name(from.type), type_name(type)));
  }
  return to;
}

constexpr ElementType types[] = {ElementType::f16,     ElementType::bf16,  ElementType::f32, ElementType::f64,
                                 ElementType::i8,      ElementType::i16,   ElementType::i32, ElementType::i64,
                                 ElementType::u8,      ElementType::u16,   ElementType::u32, ElementType::u64,
                                 ElementType::boolean, ElementType::string};

bool is_givable(ElementType type) { return std::find(std::begin(types), std::end(types), type) != std::end(types); }

}  // namespace

std::span<const ElementType> givable_types() { return types; }

std::string givable_type_names() {
  std::string names;
  for (const auto type : types) names += (names.empty() ? "" : ", ") + std::string(type_name(type));
  return names;
}

HostTensor convert(HostTensor tensor, ElementType type, Rounding rounding, std::string_view where) {
  if (tensor.type == type) return tensor;
  if (!is_givable(type) || !is_givable(tensor.type))
    throw Error(ErrorKind::unsupported, fmt::format("{}: values of type {} cannot be given as {}; convert the model",
                                                    where, type_name(tensor.type), type_name(type)));
  if (element_count(tensor.shape) == 0) {  // nothing to lose, whatever the types
    tensor.type = type;
    return tensor;
  }
  if (tensor.type == ElementType::string || type == ElementType::string)
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}: the values are {}, but {} is needed; {}", where, type_name(tensor.type), type_name(type),
                    type == ElementType::string ? "write them in double quotes" : "write them without quotes"));
  const auto as_double = [&](Load<double> load) { return convert_numbers(tensor, type, rounding, where, load); };
  const auto as_signed = [&](Load<std::int64_t> load) { return convert_numbers(tensor, type, rounding, where, load); };
  const auto as_natural = [&](Load<std::uint64_t> load) {
    return convert_numbers(tensor, type, rounding, where, load);
  };
  switch (tensor.type) {
    case ElementType::f16:
      return as_double(load_half);
    case ElementType::bf16:
      return as_double(load_bfloat);
    case ElementType::f32:
      return as_double(load<double, float>);
    case ElementType::f64:
      return as_double(load<double, double>);
    case ElementType::i8:
      return as_signed(load<std::int64_t, std::int8_t>);
    case ElementType::i16:
      return as_signed(load<std::int64_t, std::int16_t>);
    case ElementType::i32:
      return as_signed(load<std::int64_t, std::int32_t>);
    case ElementType::i64:
      return as_signed(load<std::int64_t, std::int64_t>);
    case ElementType::u16:
      return as_natural(load<std::uint64_t, std::uint16_t>);
    case ElementType::u32:
      return as_natural(load<std::uint64_t, std::uint32_t>);
    case ElementType::u64:
      return as_natural(load<std::uint64_t, std::uint64_t>);
    default:  // u8 and bool
      return as_natural(load<std::uint64_t, std::uint8_t>);
  }
}

}  // namespace takt
