#include "profile/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <random>

#include "core/error.h"
#include "core/text.h"

namespace takt {
namespace {

[[noreturn]] void refuse(std::string_view item, std::string_view why) {
  throw UsageError(fmt::format("--input '{}': {}; write [NAME:]{{1,3,224,224}}", printable(item), why));
}

Shape parse_shape(std::string_view item, std::string_view braces) {
  if (!braces.starts_with('{') || !braces.ends_with('}')) refuse(item, "the shape must stand in braces");
  braces = braces.substr(1, braces.size() - 2);
  Shape shape;
  if (trim(braces).empty()) return shape;  // {} is a scalar
  for (const auto& part : split(braces, ',')) {
    std::string_view text = trim(part);
    std::int64_t dim = 0;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), dim);
    if (code != std::errc() || end != text.data() + text.size())
      refuse(item, fmt::format("'{}' is not a number", printable(text)));
    if (dim < 0) refuse(item, fmt::format("a dimension cannot be {}", dim));
    shape.push_back(dim);
  }
  if (!element_count(shape)) refuse(item, "the shape has more elements than can be counted");
  return shape;
}

/// Splits off the name at the first colon that no backslash guards.
InputSpec parse_item(std::string_view item) {
  InputSpec spec;
  for (std::size_t i = 0; i < item.size(); ++i) {
    bool escaped = item[i] == '\\' && i + 1 < item.size() && (item[i + 1] == ':' || item[i + 1] == '\\');
    if (escaped) {
      spec.name += item[++i];
    } else if (item[i] == ':') {
      spec.shape = parse_shape(item, trim(item.substr(i + 1)));
      return spec;
    } else {
      spec.name += item[i];
    }
  }
  return {"", parse_shape(item, trim(item))};
}

std::string input_names(const std::vector<Port>& inputs) {
  std::string names;
  for (const auto& port : inputs) names += (names.empty() ? "'" : ", '") + printable(port.name) + "'";
  return names;
}

const Port& find_input(const std::vector<Port>& inputs, const InputSpec& spec) {
  if (spec.name.empty() && inputs.size() == 1) return inputs.front();
  if (spec.name.empty())
    throw Error(ErrorKind::bad_input, fmt::format("--input: the model has {} inputs ({}); name the one that is meant",
                                                  inputs.size(), input_names(inputs)));
  for (const auto& port : inputs)
    if (port.name == spec.name) return port;
  throw Error(ErrorKind::bad_input, fmt::format("--input: the model has no input '{}'; its inputs are {}",
                                                printable(spec.name), input_names(inputs)));
}

void check_against_model(const Port& port, const Shape& shape) {
  bool fits = shape.size() == port.shape.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i)
    fits = !port.shape[i].value || *port.shape[i].value == shape[i];
  if (!fits)
    throw Error(ErrorKind::bad_input, fmt::format("--input: shape {} does not fit input '{}', which is {} in the model",
                                                  to_string(shape), printable(port.name), to_string(port.shape)));
}

std::int64_t usual_dim(std::size_t index, std::size_t rank) {
  if (index == 0) return 1;
  return rank == 4 && index >= 2 ? 224 : 16;
}

/// A name as parse_item reads it.
std::string escaped(std::string_view name) {
  std::string text;
  for (const char c : name) text += (c == ':' || c == '\\') ? std::string{'\\', c} : std::string(1, c);
  return text;
}

Shape choose_shape(const Port& port, std::vector<std::string>& notes) {
  Shape shape;
  bool chosen = false;
  for (std::size_t i = 0; i < port.shape.size(); ++i) {
    chosen |= !port.shape[i].value;
    shape.push_back(port.shape[i].value.value_or(usual_dim(i, port.shape.size())));
  }
  if (chosen)
    notes.push_back(fmt::format("input '{}' is {} in the model; {} was used (choose with --input '{}:{}')",
                                printable(port.name), to_string(port.shape), to_string(shape),
                                printable(escaped(port.name)), to_string(shape)));
  return shape;
}

/// IEEE binary16 of a value in [-1, 1), rounded to nearest even through float's own bits; tiny values become zero,
/// and what would round to 1 the number below it.
std::uint16_t to_half(float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  std::uint32_t sign = bits >> 16 & 0x8000, exponent = bits >> 23 & 0xFF;
  if (exponent < 113) return static_cast<std::uint16_t>(sign);
  std::uint32_t rounded = bits + 0xFFF + (bits >> 13 & 1);
  const std::uint32_t half = ((rounded & 0x7FFFFFFF) - (112u << 23)) >> 13;
  return static_cast<std::uint16_t>(sign | (sign == 0 ? std::min(half, 0x3BFFu) : half));
}

template <typename T, typename Make>
std::vector<std::byte> fill(std::size_t count, Make make) {
  std::vector<std::byte> bytes(count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) {
    T value = static_cast<T>(make());
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

std::vector<std::byte> random_bytes(const Port& port, std::size_t count, std::mt19937_64& random) {
  // The top 24 bits give every float the same exactness and the same value on every standard library.
  auto real = [&] { return static_cast<float>(random() >> 40) * 0x1p-23f - 1.0f; };
  auto bit = [&] { return random() >> 63; };
  switch (port.type) {
    case ElementType::f32:
      return fill<float>(count, real);
    case ElementType::f64:
      return fill<double>(count, real);
    case ElementType::f16:
      return fill<std::uint16_t>(count, [&] { return to_half(real()); });
    case ElementType::bf16:
      return fill<std::uint16_t>(count, [&] { return std::bit_cast<std::uint32_t>(real()) >> 16; });
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

std::vector<InputSpec> parse_input_specs(std::string_view text) {
  std::vector<InputSpec> specs;
  for (const auto& item : split(text, ';')) {
    if (trim(item).empty()) refuse(text, "there is an empty item");
    specs.push_back(parse_item(trim(item)));
  }
  return specs;
}

std::map<std::string, Shape> choose_shapes(const std::vector<Port>& inputs, const std::vector<InputSpec>& specs,
                                           std::vector<std::string>& notes) {
  std::map<std::string, Shape> shapes;
  for (const auto& spec : specs) {
    const Port& port = find_input(inputs, spec);
    check_against_model(port, spec.shape);
    if (!shapes.emplace(port.name, spec.shape).second)
      throw Error(ErrorKind::bad_input, fmt::format("--input: '{}' is given twice", printable(port.name)));
  }
  for (const auto& port : inputs)
    if (!shapes.contains(port.name)) shapes.emplace(port.name, choose_shape(port, notes));
  return shapes;
}

void check_sizes(const std::vector<Port>& inputs, const std::map<std::string, Shape>& shapes) {
  constexpr std::int64_t largest = std::int64_t{8} << 30;
  for (const auto& port : inputs) {
    const Shape& shape = shapes.at(port.name);
    auto count = element_count(shape);
    constexpr std::int64_t string_size = sizeof(std::string);
    if (!count || *count > largest || byte_count(port.type, *count).value_or(0) > largest ||
        (port.type == ElementType::string && *count > largest / string_size))
      throw Error(ErrorKind::bad_input, fmt::format("input '{}' of shape {} would take more than 8 GiB; give a smaller "
                                                    "one with --input",
                                                    printable(port.name), to_string(shape)));
  }
}

std::vector<HostTensor> generate_inputs(const std::vector<Port>& inputs, const std::map<std::string, Shape>& shapes,
                                        std::uint64_t seed) {
  check_sizes(inputs, shapes);
  std::vector<HostTensor> tensors;
  for (const auto& port : inputs) {
    HostTensor tensor{port.name, port.type, shapes.at(port.name), {}, {}};
    auto elements = static_cast<std::size_t>(*element_count(tensor.shape));
    std::mt19937_64 random(seed + tensors.size());
    if (port.type == ElementType::string)
      tensor.strings.assign(elements, "a");
    else
      tensor.bytes = random_bytes(port, elements, random);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace takt
