#include "model/inputs/tensor_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/runtime/tensor_checks.h"

namespace takt {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers and values stand in the file as in memory");

constexpr std::size_t max_dimensions = 7;
constexpr std::uint32_t first_onnx_type = 1000;

struct DumpHead {
  std::uint32_t name_length = 0, type = 0, dimensions = max_dimensions;
  std::array<std::uint32_t, max_dimensions> shape{};  ///< 0 behind the last
};
static_assert(sizeof(DumpHead) == 40);

constexpr std::pair<ElementType, std::uint32_t> numbers_of_megengine[] = {
    {ElementType::f32, 0},   {ElementType::u8, 1},       {ElementType::i8, 2},
    {ElementType::i16, 3},   {ElementType::i32, 4},      {ElementType::f16, 9},
    {ElementType::bf16, 11}, {ElementType::boolean, 12}, {ElementType::u16, 13}};

std::uint32_t number_of(ElementType type) {
  for (const auto& [known, number] : numbers_of_megengine)
    if (known == type) return number;
  return first_onnx_type + static_cast<std::uint32_t>(type);
}

std::optional<ElementType> type_of(std::uint32_t number) {
  for (const auto& [type, known] : numbers_of_megengine)
    if (known == number) return type;
  const auto type = static_cast<ElementType>(number - first_onnx_type);
  const bool is_known = number > first_onnx_type && number <= number_of(ElementType::i2) && number_of(type) == number;
  return is_known ? std::optional(type) : std::nullopt;
}

[[noreturn]] void refuse_dump(std::string_view where, const std::string& what) {
  refuse_input(fmt::format("{}: {}; write it again with 'takt run --bin-io-dump'", where, what));
}

/// As many dimensions as the bytes need: those behind the last are 0, as one of a tensor without elements is.
std::optional<Shape> shape_of(const DumpHead& head, ElementType type, std::size_t bytes) {
  Shape shape(head.shape.begin(), head.shape.end());
  while (!shape.empty() && shape.back() == 0) shape.pop_back();
  for (; shape.size() <= max_dimensions; shape.push_back(0))
    if (byte_size(type, shape) == bytes) return shape;
  return std::nullopt;
}

bool is_dump_number(std::string_view text) {
  return text.size() >= 6 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

bool fits_dump(const HostTensor& tensor) {
  return tensor.type != ElementType::string && tensor.shape.size() <= max_dimensions;
}

std::string dump_binary(const HostTensor& tensor) {
  if (!fits_dump(tensor))
    throw Error(ErrorKind::unsupported,
                fmt::format("tensor '{}': {} cannot be written in this format; use --io-dump", printable(tensor.name),
                            tensor.type == ElementType::string ? "strings" : "its rank"));
  DumpHead head;
  head.name_length = static_cast<std::uint32_t>(tensor.name.size());
  head.type = number_of(tensor.type);
  std::copy(tensor.shape.begin(), tensor.shape.end(), head.shape.begin());
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  bytes += tensor.name;
  bytes.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return bytes;
}

GivenTensor parse_dump(std::span<const std::byte> file, std::string_view where) {
  DumpHead head;
  if (file.size() < sizeof head) refuse_dump(where, "is not a tensor dump, or is truncated");
  std::memcpy(&head, file.data(), sizeof head);
  file = file.subspan(sizeof head);
  if (head.dimensions != max_dimensions || head.name_length > file.size())
    refuse_dump(where, "is not a tensor dump, or is truncated");
  GivenTensor given;
  given.tensor.name.assign(reinterpret_cast<const char*>(file.data()), head.name_length);
  const auto values = file.subspan(head.name_length);
  const auto type = type_of(head.type);
  if (!type) refuse_dump(where, fmt::format("has values of the unknown type {}", head.type));
  const auto shape = shape_of(head, *type, values.size());
  if (!shape) refuse_dump(where, fmt::format("has {} bytes of values, which do not match its shape", values.size()));
  given.tensor.type = *type;
  given.tensor.shape = *shape;
  given.tensor.bytes.resize(values.size());
  if (!values.empty()) std::memcpy(given.tensor.bytes.data(), values.data(), values.size());
  return given;
}

bool is_dump_file(std::string_view name) {
  const std::size_t slash = name.find_last_of('/');
  const std::string_view file = slash == std::string_view::npos ? name : name.substr(slash + 1);
  constexpr std::string_view output = "run0-var";
  if (file.starts_with(output)) return is_dump_number(file.substr(output.size()));
  return slash != std::string_view::npos && is_dump_number(file);
}

}  // namespace takt
