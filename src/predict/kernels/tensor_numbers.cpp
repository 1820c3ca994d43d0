#include "predict/kernels/tensor_numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/basics/error.h"
#include "base/files/json_object.h"

namespace takt {
namespace {

using Json = nlohmann::json;

/// Calls `with` with a value of the C++ type behind `type`.
template <typename With>
void with_number_type(ElementType type, const With& with) {
  switch (type) {
    case ElementType::f32:
      return with(float());
    case ElementType::f64:
      return with(double());
    case ElementType::i8:
      return with(std::int8_t());
    case ElementType::u8:
    case ElementType::boolean:
      return with(std::uint8_t());
    case ElementType::i16:
      return with(std::int16_t());
    case ElementType::u16:
      return with(std::uint16_t());
    case ElementType::i32:
      return with(std::int32_t());
    case ElementType::u32:
      return with(std::uint32_t());
    case ElementType::i64:
      return with(std::int64_t());
    default:
      return;
  }
}

}  // namespace

bool has_json_numbers(ElementType type) {
  bool has = false;
  with_number_type(type, [&](auto) { has = true; });
  return has;
}

Json real_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double real_in(const Json& json, const std::string& where) {
  if (json.is_number()) return json.get<double>();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  refuse_input(fmt::format("{} is {}; give a number, or \"inf\", \"-inf\", \"nan\"", where, JsonObject::shown(json)));
}

Json numbers_json(ElementType type, const Bytes& bytes) {
  Json list = Json::array();
  with_number_type(type, [&](auto zero) {
    using Number = decltype(zero);
    for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
      Number value;
      std::memcpy(&value, bytes.data() + at, sizeof value);
      if constexpr (std::is_floating_point_v<Number>)
        list.push_back(real_json(value));
      else
        list.push_back(value);
    }
  });
  return list;
}

Bytes numbers_in(const Json& json, ElementType type, std::size_t count, const std::string& where) {
  JsonObject::list_in(json, where);
  if (json.size() != count)
    refuse_input(fmt::format("{} has {} numbers, and its shape needs {}", where, json.size(), count));
  std::vector<std::byte> bytes;
  with_number_type(type, [&](auto zero) {
    using Number = decltype(zero);
    bytes.resize(count * sizeof(Number));
    for (std::size_t i = 0; i < count; ++i) {
      Number value{};
      if constexpr (std::is_floating_point_v<Number>) {
        const double real = real_in(json[i], where);
        if (std::isfinite(real) && std::abs(real) > static_cast<double>(std::numeric_limits<Number>::max()))
          refuse_input(fmt::format("{} has {}, which is not a {}", where, JsonObject::shown(json[i]), type_name(type)));
        value = static_cast<Number>(real);
      } else {
        const auto most =
            type == ElementType::boolean ? 1 : static_cast<std::int64_t>(std::numeric_limits<Number>::max());
        value = static_cast<Number>(JsonObject::integer_in(
            json[i], where, static_cast<std::int64_t>(std::numeric_limits<Number>::min()), most));
      }
      std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
    }
  });
  return bytes;
}

ElementType type_named(const std::string& name) {
  for (int number = 1; number <= static_cast<int>(ElementType::i2); ++number)
    if (type_name(static_cast<ElementType>(number)) == name) return static_cast<ElementType>(number);
  return ElementType::undefined;
}

}  // namespace takt
