#include "model/inputs/json.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/inputs/nested_values.h"
#include "model/inputs/tensor_convert.h"

namespace takt {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

[[noreturn]] void fail(std::string_view where, const std::string& what) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}", where, what));
}

/// Recursion ends where NestedValues refuses to open another list.
void add(const element& value, NestedValues& values) {
  switch (value.type()) {
    case element_type::ARRAY:
      values.open();
      for (const element item : simdjson::dom::array(value)) add(item, values);
      return values.close();
    case element_type::INT64:
      return values.add(std::int64_t(value));
    case element_type::UINT64:
      return values.add(std::uint64_t(value));
    case element_type::DOUBLE:
      return values.add(double(value));
    case element_type::BOOL:
      return values.add(bool(value));
    case element_type::STRING:
      return values.add(std::string(std::string_view(value)));
    default:
      values.fail("there is an object or null instead of a value");
  }
}

GivenTensor plain(const element& value, std::string_view where) {
  NestedValues values(where);
  add(value, values);
  return std::move(values).take();
}

Shape shape_of(const element& value, std::string_view where) {
  Shape shape;
  simdjson::dom::array dims;
  if (value.get(dims) != simdjson::SUCCESS) fail(where, "shape is not a list; write \"shape\": [2, 3]");
  for (const element dim : dims) {
    std::int64_t size = -1;
    if (dim.get(size) != simdjson::SUCCESS || size < 0) fail(where, "shape has a value that is not a size");
    shape.push_back(size);
  }
  return shape;
}

/// MegEngine's names are NumPy's, and "float" and "int" beside them.
ElementType type_of(const element& value, std::string_view where) {
  std::string_view name;
  if (value.get(name) != simdjson::SUCCESS) fail(where, "type is not a string; write \"type\": \"float32\"");
  if (name == "float") return ElementType::f32;
  if (name == "int") return ElementType::i32;
  if (name == "boolean") return ElementType::boolean;
  for (const auto type : givable_types())
    if (type_name(type) == name) return type;
  fail(where, fmt::format("type '{}' is not one of {}", printable(name), givable_type_names()));
}

void reshape(GivenTensor& given, const Shape& shape, std::string_view where) {
  const auto wanted = element_count(shape), held = element_count(given.tensor.shape);
  if (wanted != held)
    fail(where, fmt::format("raw holds {} values, but shape {} needs {}", held.value_or(0), to_string(shape),
                            wanted ? std::to_string(*wanted) : "more than can be counted"));
  if (given.tensor.shape.size() > 1 && given.tensor.shape != shape)
    fail(where,
         fmt::format("raw is a list of shape {}, but shape is {}", to_string(given.tensor.shape), to_string(shape)));
  given.tensor.shape = shape;
}

/// "inf" and "nan" as strings: JSON has no numbers for them, and MegEngine writes them so.
GivenTensor real_from_strings(const GivenTensor& given, std::string_view where) {
  NestedValues values(where);
  values.open();
  for (const auto& text : given.tensor.strings) values.add_word(text);
  values.close();
  GivenTensor real = std::move(values).take();
  real.tensor.shape = given.tensor.shape;
  return real;
}

GivenTensor described(const object& description, std::string_view where) {
  std::optional<element> shape, type, raw;
  for (const auto [key, value] : description) {
    auto& place = key == "shape" ? shape : key == "type" ? type : raw;
    if (key != "shape" && key != "type" && key != "raw")
      fail(where, fmt::format("'{}' is not one of shape, type and raw", printable(key)));
    if (place) fail(where, fmt::format("'{}' is given twice", key));
    place = value;
  }
  if (!raw) fail(where, "raw, the list of values, is missing");
  GivenTensor given = plain(*raw, where);
  if (shape) reshape(given, shape_of(*shape, where), where);
  if (!type) return given;
  const ElementType wanted = type_of(*type, where);
  if (given.tensor.type == ElementType::string && wanted != ElementType::string)
    given = real_from_strings(given, where);
  given.tensor = convert(std::move(given.tensor), wanted, Rounding::decimal, where);
  given.as = GivenAs::typed;
  return given;
}

GivenTensor read_value(const element& value, std::string_view where) {
  object description;
  return value.get(description) == simdjson::SUCCESS ? described(description, where) : plain(value, where);
}

}  // namespace

std::vector<GivenTensor> parse_input_json(const PaddedText& file, std::string_view where) try {
  simdjson::dom::parser parser;
  element root;
  const std::string_view text = file.text();
  if (text.empty()) fail(where, "the file is empty");
  if (const auto error = parser.parse(text.data(), text.size(), false).get(root))
    fail(where, fmt::format("is not JSON that can be read ({})", lower_case(simdjson::error_message(error))));
  object inputs;
  std::vector<GivenTensor> given;
  if (root.get(inputs) != simdjson::SUCCESS) {
    given.push_back(read_value(root, where));
    return given;
  }
  std::set<std::string_view> seen;
  for (const auto [name, value] : inputs) {
    if (!seen.insert(name).second) fail(where, fmt::format("input '{}' is given twice", printable(name)));
    given.push_back(read_value(value, fmt::format("{}: input '{}'", where, printable(name))));
    given.back().tensor.name = name;
  }
  if (given.empty()) fail(where, "names no input");
  return given;
} catch (const simdjson::simdjson_error& error) {
  fail(where, fmt::format("is not JSON that can be read ({})", lower_case(error.what())));
}

}  // namespace takt
