#include "model/inputs/spec.h"

#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/inputs/literal.h"
#include "model/inputs/shape_words.h"
#include "model/inputs/tensor_dump.h"

namespace takt {
namespace {

constexpr std::string_view escapable = R"(:;"\)";

[[noreturn]] void refuse(std::string_view item, std::string_view why) {
  throw UsageError(fmt::format("--input '{}': {}", printable(item), why));
}

/// The first of `separator` in `text` outside of quotes and not behind a backslash; npos if there is none.
std::size_t find_separator(std::string_view text, char separator) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (text[i] == separator && !quoted)
      return i;
  }
  return std::string_view::npos;
}

/// A backslash before any other character is itself: Windows paths stay what they are.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size() && escapable.find(text[i + 1]) != std::string_view::npos;
    plain += escape ? text[++i] : text[i];
  }
  return plain;
}

Shape parse_shape(std::string_view item, std::string_view braces) {
  if (!braces.ends_with('}')) refuse(item, "the shape has no closing brace; write [NAME:]{1,3,224,224}");
  braces = braces.substr(1, braces.size() - 2);
  Shape shape;
  if (trim(braces).empty()) return shape;
  for (const auto& part : split(braces, ',')) {
    const std::string_view text = trim(part);
    const auto dim = number_in<std::int64_t>(text);
    if (!dim) refuse(item, fmt::format("'{}' is not a number; write [NAME:]{{1,3,224,224}}", printable(text)));
    if (*dim < 0) refuse(item, fmt::format("a dimension cannot be {}; write [NAME:]{{1,3,224,224}}", *dim));
    shape.push_back(*dim);
  }
  if (!element_count(shape)) refuse(item, "the shape has more elements than can be counted; write a smaller one");
  return shape;
}

bool is_folder(const std::string& data) {
  std::error_code none;
  return data.ends_with('/') || std::filesystem::is_directory(data, none);
}

/// Values never begin like this, so it is a file of another kind, or a slip.
bool is_word(std::string_view data) {
  for (const std::string_view value : {"true", "True", "false", "False", "nan", "inf"})
    if (data.starts_with(value)) return false;
  const auto first = static_cast<unsigned char>(data.front());
  return first >= 0x80 || std::isalpha(first) != 0 || first == '/' || first == '_' || first == '~';
}

/// "a.npy, b.npy"; empty: it is something else, or one file of that name.
std::vector<std::filesystem::path> files_in(std::string_view data) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  if (data.find(',') == data.npos || std::filesystem::exists(unescape(data), none)) return {};
  for (const auto& part : split(data, ',')) {
    files.emplace_back(unescape(trim(part)));
    if (!is_value_file(files.back().string())) return {};
  }
  return files;
}

/// Where the name ends. "x=a.npy" is understood, too, if no file is called so.
std::size_t end_of_name(std::string_view item) {
  const auto colon = find_separator(item, ':');
  const auto equals = item.find('=');
  std::error_code none;
  const bool is_name = colon == item.npos && equals != item.npos && equals > 0 && item.front() != '"' &&
                       is_value_file(item) && !std::filesystem::exists(unescape(item), none);
  return is_name ? equals : colon;
}

InputSpec parse_item(std::string_view item) {
  InputSpec spec{{}, {}, std::string(item)};
  std::string_view data = item;
  if (const auto end = end_of_name(item); end != std::string_view::npos) {
    spec.name = unescape(trim(item.substr(0, end)));
    data = trim(item.substr(end + 1));
  }
  if (data.empty()) refuse(item, "nothing follows the name; write NAME:DATA");
  spec.files = files_in(data);
  if (!spec.files.empty())
    spec.content = spec.files.front();
  else if (is_value_file(unescape(data)) || is_folder(unescape(data)))
    spec.content = std::filesystem::path(unescape(data));
  else if (data.starts_with('{'))
    spec.content = parse_shape(item, data);
  else if (auto shape = shape_in_words(data))
    spec.content = std::move(*shape);
  else if (is_word(data))
    refuse(item,
           fmt::format("'{}' is not a shape in braces, a literal (1,2,3) or a readable file (.npy, .json, .ppm, .pgm)",
                       printable(data)));
  else
    spec.content = parse_literal(data, fmt::format("--input '{}'", printable(item)));
  return spec;
}

}  // namespace

bool is_value_file(std::string_view name) {
  if (is_dump_file(name)) return true;
  const std::string lower = lower_case(name);
  for (const std::string_view ending : {".npy", ".json", ".ppm", ".pgm", ".pnm"})
    if (lower.ends_with(ending)) return true;
  return false;
}

std::vector<InputSpec> parse_input_specs(std::string_view text) try {
  std::vector<InputSpec> specs;
  for (std::string_view rest = text;;) {
    const auto end = find_separator(rest, ';');
    const std::string_view item = trim(rest.substr(0, end));
    if (item.empty()) refuse(text, "there is an empty item; write [NAME:]DATA, several separated by ';'");
    const auto named = named_shapes(item);
    for (const auto& [name, shape] : named) specs.push_back({name, shape, std::string(item)});
    if (named.empty()) specs.push_back(parse_item(item));
    if (end == std::string_view::npos) return specs;
    rest.remove_prefix(end + 1);
  }
} catch (const Error& error) {  // what a literal does not hold is a wrong command line
  throw UsageError(error.what());
}

std::string escape_input_name(std::string_view name) {
  std::string text;
  for (const char c : name)
    text += escapable.find(c) != std::string_view::npos ? std::string{'\\', c} : std::string(1, c);
  return text;
}

}  // namespace takt
