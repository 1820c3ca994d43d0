#include "model/runtime/tensor_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/graph/limits.h"

namespace takt {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 40;

[[noreturn]] void fail(std::string_view where, const std::string& what) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}", where, what));
}

bool fits(const PartialShape& declared, const Shape& shape) {
  if (declared.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] < 0 || !allows(declared[i], shape[i])) return false;
  return true;
}

void check_input(const Port& port, const HostTensor& input, std::string_view where) {
  if (input.type != port.type)
    fail(where,
         fmt::format("input '{}' is {}, not {}; convert it", port.name, type_name(port.type), type_name(input.type)));
  if (!fits(port.shape, input.shape))
    fail(where, fmt::format("input '{}' has shape {}, which {} does not fit; pass a fitting one", port.name,
                            to_string(port.shape), to_string(input.shape)));
  if (const auto fault = fault_of(input)) fail(where, fmt::format("input '{}' {}", port.name, *fault));
}

/// Of an element type that a standard has no number for, nothing is known.
bool has_bytes(const HostTensor& value) { return type_bits(value.type).has_value(); }

}  // namespace

std::optional<std::size_t> byte_size(ElementType type, const Shape& shape) {
  const auto count = element_count(shape);
  const auto bytes = count ? byte_count(type, *count) : std::nullopt;
  return bytes && *bytes <= most_bytes ? std::optional(static_cast<std::size_t>(*bytes)) : std::nullopt;
}

std::optional<std::string> fault_of(const HostTensor& value) {
  const auto count = element_count(value.shape);
  if (!count) return fmt::format("has the invalid shape {}", to_string(value.shape));
  if (value.type == ElementType::string) {
    if (static_cast<std::size_t>(*count) == value.strings.size()) return std::nullopt;
    return fmt::format("holds {} strings, which {} does not fit", value.strings.size(), to_string(value.shape));
  }
  if (!has_bytes(value)) return "has no element type that values can have";
  const auto size = byte_count(value.type, *count);
  if (size && static_cast<std::size_t>(*size) == value.bytes.size() && *size <= most_bytes) return std::nullopt;
  return fmt::format("holds {} bytes, but {} of {} is {} bytes", value.bytes.size(), to_string(value.shape),
                     type_name(value.type), size && *size <= most_bytes ? std::to_string(*size) : "too many");
}

void check_inputs(const std::vector<Port>& ports, const std::vector<HostTensor>& inputs, std::string_view where) {
  std::vector<std::string> names;
  for (const auto& port : ports) names.push_back(port.name);
  std::set<std::string> seen;
  for (const auto& input : inputs) {
    const auto port = std::find_if(ports.begin(), ports.end(), [&](const Port& p) { return p.name == input.name; });
    if (port == ports.end())
      fail(where, fmt::format("there is no input '{}'; {}", printable(input.name),
                              suggestion(input.name, names, fmt::format("the inputs are {}", fmt::join(names, ", ")))));
    if (!seen.insert(input.name).second) fail(where, fmt::format("input '{}' is given twice", input.name));
    check_input(*port, input, where);
  }
  for (const auto& name : names)
    if (!seen.count(name)) fail(where, fmt::format("input '{}' is not given; pass a value for it", name));
}

void check_input(const std::vector<Port>& ports, std::size_t port, const HostTensor& value, std::string_view where) {
  if (port >= ports.size())
    fail(where, fmt::format("there is no input number {}; the model has {}", port, ports.size()));
  check_input(ports[port], value, where);
}

PartialShape fix_shape(const PartialShape& declared, const Shape& wanted, std::string_view where,
                       std::string_view input) {
  if (!fits(declared, wanted) || !element_count(wanted))
    fail(where, fmt::format("input '{}' has shape {}, which {} does not fit; change only dimensions that the model "
                            "leaves open",
                            input, to_string(declared), to_string(wanted)));
  PartialShape fixed;
  for (const auto size : wanted) fixed.push_back({size, {}});
  return fixed;
}

void check_shape_names(const std::vector<std::string>& ports, const std::map<std::string, Shape>& input_shapes,
                       std::string_view where) {
  for (const auto& [name, shape] : input_shapes) {
    if (std::find(ports.begin(), ports.end(), name) != ports.end()) continue;
    fail(where, fmt::format("there is no input '{}' to give shape {}; the inputs are {}", printable(name),
                            to_string(shape), fmt::join(ports, ", ")));
  }
}

}  // namespace takt
