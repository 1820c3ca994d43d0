#include "model/inputs/shape_words.h"

#include <cstring>

#include "base/basics/text.h"

namespace takt {
namespace {

std::optional<Shape> shape_between(std::string_view text, char separator, std::int64_t least = 0) {
  Shape shape;
  for (const auto& part : split(text, separator)) {
    const auto size = number_in<std::int64_t>(trim(part));
    if (!size || *size < least) return std::nullopt;
    shape.push_back(*size);
  }
  return element_count(shape) ? std::optional(shape) : std::nullopt;
}

}  // namespace

std::optional<Shape> shape_in_words(std::string_view text) {
  if (text.starts_with('(') && text.ends_with(')')) {
    text = trim(text.substr(1, text.size() - 2));
    if (text.ends_with(',')) text.remove_suffix(1);  // a tuple of one
    return shape_between(text, ',');
  }
  const std::string lower = lower_case(text);
  return lower.find('x') == lower.npos ? std::nullopt : shape_between(lower, 'x', 1);  // 0x10 is a number
}

std::vector<NamedShape> named_shapes(std::string_view text) {
  std::vector<NamedShape> shapes;
  for (text = trim(text); !text.empty();) {
    const auto open = text.find('['), close = text.find(']');
    if (open == 0 || open == text.npos || close == text.npos || close < open) return {};
    const std::string_view name = trim(text.substr(0, open));
    const auto shape = shape_between(text.substr(open + 1, close - open - 1), ',');
    if (name.find_first_of("\":{},") != name.npos || !shape) return {};
    shapes.push_back({std::string(name), *shape});
    text = trim(text.substr(close + 1));
    if (text.empty()) break;
    if (!text.starts_with(',')) return {};
    text = trim(text.substr(1));
    if (text.empty()) return {};
  }
  return shapes;
}

std::optional<Shape> shape_meant_by(const GivenTensor& literal, const PartialShape& wanted) {
  const HostTensor& tensor = literal.tensor;
  const bool is_list = tensor.shape.size() == 1 && tensor.type == ElementType::i64 && wanted.size() > 1;
  if (!is_list || tensor.shape[0] != static_cast<std::int64_t>(wanted.size())) return std::nullopt;
  Shape shape(wanted.size());
  std::memcpy(shape.data(), tensor.bytes.data(), shape.size() * sizeof(std::int64_t));
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] < 1 || wanted[i].value.value_or(shape[i]) != shape[i]) return std::nullopt;
  return element_count(shape) ? std::optional(shape) : std::nullopt;
}

}  // namespace takt
