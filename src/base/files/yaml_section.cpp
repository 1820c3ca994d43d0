#include "base/files/yaml_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/basics/utf8.h"

namespace takt {

YamlSection::YamlSection(const YAML::Node& node, std::string origin, std::string prefix,
                         const std::vector<std::string>& keys)
    : node_(node), origin_(std::move(origin)), prefix_(std::move(prefix)) {
  const std::string self = prefix_.empty() ? "the file" : prefix_.substr(0, prefix_.size() - 1);
  if (node_.IsNull() && prefix_.empty()) fail(node_, self, "is empty; write KEY: VALUE lines");
  if (!node_.IsMap()) fail(node_, self, "is not a mapping; write KEY: VALUE lines");
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string("?");
    if (!seen.insert(key).second) fail(entry.first, prefix_ + key, "is listed twice; keep one");
    if (!keys.empty() && std::find(keys.begin(), keys.end(), key) == keys.end()) unknown(entry.first, key, keys);
  }
}

std::string YamlSection::text(const std::string& key, const std::string& otherwise) const {
  if (!has(key)) return otherwise;
  if (!node_[key].IsScalar()) fail(node_[key], prefix_ + key, "is not a string; write one, in quotes if needed");
  return node_[key].Scalar();
}

std::string YamlSection::word(const std::string& key, const std::vector<std::string>& words) const {
  const auto value = text(key, words.front());
  if (std::find(words.begin(), words.end(), value) != words.end()) return value;
  fail(node_[key], prefix_ + key,
       fmt::format("'{}' is not known; {}", printable(value),
                   suggestion(value, words, fmt::format("use {}", fmt::join(words, ", ")))));
}

bool YamlSection::flag(const std::string& key, bool otherwise) const {
  return has(key) ? word(key, {"true", "false"}) == "true" : otherwise;
}

double YamlSection::number(const std::string& key, double least, double most) const {
  if (!has(key)) fail(node_, prefix_ + key, "is missing; add it");
  return number_of(node_[key], prefix_ + key, least, most);
}

double YamlSection::number(const std::string& key, double least, double most, double otherwise) const {
  return has(key) ? number(key, least, most) : otherwise;
}

double YamlSection::number_of(const YAML::Node& node, const std::string& key, double least, double most) const {
  double value = 0;
  if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) || !std::isfinite(value))
    fail(node, key, fmt::format("is not a number; write one from {:g} to {:g}", least, most));
  if (value < least || value > most)
    fail(node, key, fmt::format("{} is out of range; use {:g} to {:g}", value, least, most));
  return value;
}

std::optional<std::int64_t> YamlSection::integer(const std::string& key, std::int64_t least, std::int64_t most) const {
  if (!has(key)) return std::nullopt;
  std::int64_t value = 0;
  const auto node = node_[key];
  if (!node.IsScalar() || !YAML::convert<std::int64_t>::decode(node, value))
    fail(node, prefix_ + key, fmt::format("is not a whole number; write one from {} to {}", least, most));
  if (value < least || value > most)
    fail(node, prefix_ + key, fmt::format("{} is out of range; use {} to {}", value, least, most));
  return value;
}

std::optional<Nanoseconds> YamlSection::duration(const std::string& key, Nanoseconds least, Nanoseconds most) const {
  return has(key) ? std::optional(duration_of(node_[key], prefix_ + key, least, most)) : std::nullopt;
}

Nanoseconds YamlSection::duration_of(const YAML::Node& node, const std::string& key, Nanoseconds least,
                                     Nanoseconds most) const {
  if (!node.IsScalar()) fail(node, key, "is not a time; write one with its unit, e.g. 5ms");
  Duration value{};
  try {
    value = parse_duration(node.Scalar());
  } catch (const Error& error) {
    fail(node, key, error.what());
  }
  if (value < least || value > most)
    fail(node, key,
         fmt::format("{} is out of range; use {} to {}", format_duration(value), format_duration(least),
                     format_duration(most)));
  return Nanoseconds(std::llround(value.count() * 1000));
}

int YamlSection::line_of(const YAML::Node& node) {
  return node.IsDefined() && !node.Mark().is_null() ? node.Mark().line + 1 : 1;
}

void YamlSection::fail(const YAML::Node& node, const std::string& key, const std::string& what) const {
  throw Error(ErrorKind::bad_input, fmt::format("{}:{}: {}: {}", origin_, line_of(node), printable(key), what));
}

void YamlSection::unknown(const YAML::Node& node, const std::string& key, const std::vector<std::string>& keys) const {
  fail(node, prefix_ + key,
       "unknown key; " + suggestion(key, keys, fmt::format("the keys are {}", fmt::join(keys, ", "))));
}

/// Braces and brackets that are not closed, each with its line.
using OpenBraces = std::vector<std::pair<char, int>>;

/// Opens and closes those of a line, outside of quotes and comments.
static void count_braces(std::string_view line, int number, OpenBraces& open) {
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0')
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '#' && (i == 0 || line[i - 1] == ' '))
      return;
    else if (c == '{' || c == '[')
      open.emplace_back(c, number);
    else if ((c == '}' || c == ']') && !open.empty())
      open.pop_back();
  }
}

/// What people get wrong most, in their words, with its line; yaml-cpp tells where it stopped.
static std::string likely_mistake(std::string_view text) {
  int number = 1;
  OpenBraces open;
  for (const std::string& line : split(text, '\n')) {
    if (line.substr(0, line.find_first_not_of(" \t")).find('\t') != line.npos)
      return fmt::format("{}: not YAML: the line is indented with a tab; use blanks", number);
    count_braces(line, number++, open);
  }
  if (open.empty()) return "";
  const auto [brace, line] = open.back();
  return fmt::format("{}: not YAML: the '{}' has no '{}'", line, brace, brace == '{' ? '}' : ']');
}

static void check_is_text(std::string_view text, const std::string& origin) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0)
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}:{}: not YAML: byte {} is not UTF-8; save the file as UTF-8 text", origin,
                              1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'), at));
    at += length;
  }
}

YAML::Node load_yaml(const std::string& text, const std::string& origin, const std::string& what) {
  constexpr std::size_t most_bytes = 1 << 20;
  if (text.size() > most_bytes)
    throw Error(ErrorKind::bad_input, fmt::format("{}: larger than 1 MiB, so not a {}", origin, what));
  check_is_text(text, origin);
  try {
    return YAML::Load(text);
  } catch (const YAML::Exception& e) {
    if (const auto mistake = likely_mistake(text); !mistake.empty())
      throw Error(ErrorKind::bad_input, fmt::format("{}:{}", origin, mistake));
    throw Error(ErrorKind::bad_input,
                fmt::format("{}:{}: not YAML: {}", origin, e.mark.is_null() ? 1 : e.mark.line + 1, printable(e.msg)));
  }
}

}  // namespace takt
