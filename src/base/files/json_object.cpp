#include "base/files/json_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/quoted.h"
#include "base/basics/text.h"

namespace takt {
namespace {

constexpr std::size_t most_shown = 40;

std::string scalar_text(const nlohmann::json& value) {
  const auto write = [](const nlohmann::json& json) {
    return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  };
  // What is longer is cut in any case, and may be all of a file.
  if (!value.is_string()) return write(value);
  return write(nlohmann::json(value.get_ref<const std::string&>().substr(0, most_shown)));
}

/// Its beginning, so that a value that is large or deep costs no more than a small one.
void add_part(const nlohmann::json& value, std::string& text) {
  if (text.size() > most_shown) return;
  if (!value.is_structured()) {
    text += scalar_text(value);
    return;
  }
  text += value.is_array() ? '[' : '{';
  bool is_first = true;
  for (const auto& item : value.items()) {
    if (text.size() > most_shown) break;
    if (!std::exchange(is_first, false)) text += ',';
    if (value.is_object()) text += scalar_text(nlohmann::json(item.key().substr(0, most_shown))) + ':';
    add_part(item.value(), text);
  }
  text += value.is_array() ? ']' : '}';
}

}  // namespace

JsonObject::JsonObject(const nlohmann::json& value, std::string place, std::initializer_list<std::string_view> keys,
                       std::initializer_list<std::string_view> optional)
    : json_(value), place_(std::move(place)) {
  if (!value.is_object()) refuse(fmt::format("is {}; write an object", shown(value)));
  const auto is_in = [](const auto& list, std::string_view key) {
    return std::find(list.begin(), list.end(), key) != list.end();
  };
  for (const auto& item : value.items())
    if (!is_in(keys, item.key()) && !is_in(optional, item.key()))
      refuse(fmt::format("'{}' is not a known key; the keys are {}", quoted_part(item.key()), fmt::join(keys, ", ")));
  for (const std::string_view key : keys)
    if (!value.contains(key)) refuse(fmt::format("has no '{}'", key));
}

std::string JsonObject::place_of(std::string_view key) const {
  return fmt::format("{}: '{}'", place_, quoted_part(key));
}

std::int64_t JsonObject::integer(const char* key, std::int64_t least, std::int64_t most) const {
  return integer_in(json_.at(key), place_of(key), least, most);
}

std::int64_t JsonObject::integer_in(const nlohmann::json& value, const std::string& place, std::int64_t least,
                                    std::int64_t most) {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() ||
                     value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::max<std::int64_t>(most, 0)));
  if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
    refuse_input(fmt::format("{} is {}; give a whole number from {} to {}", place, shown(value), least, most));
  return value.get<std::int64_t>();
}

std::size_t JsonObject::count(const char* key) const {
  const nlohmann::json& value = json_.at(key);
  if (!value.is_number_unsigned())
    refuse_input(fmt::format("{} is {}; give a whole number from 0", place_of(key), shown(value)));
  return value.get<std::size_t>();
}

double JsonObject::number(const char* key, double least, double most) const {
  return number_in(json_.at(key), place_of(key), least, most);
}

double JsonObject::number_in(const nlohmann::json& value, const std::string& place, double least, double most) {
  const double number = value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
  if (number >= least && number <= most) return number;
  refuse_input(most == any_number
                   ? fmt::format("{} is {}; give a number from {}", place, shown(value), least)
                   : fmt::format("{} is {}; give a number from {} to {}", place, shown(value), least, most));
}

std::optional<double> JsonObject::number_or_null(const char* key, double least, double most) const {
  return is_null(key) ? std::nullopt : std::optional(number(key, least, most));
}

bool JsonObject::flag(const char* key) const {
  const nlohmann::json& value = json_.at(key);
  if (!value.is_boolean()) refuse_input(fmt::format("{} is {}; give true or false", place_of(key), shown(value)));
  return value.get<bool>();
}

std::string JsonObject::text(const char* key) const { return text_in(json_.at(key), place_of(key)); }

std::string JsonObject::text_in(const nlohmann::json& value, const std::string& place) {
  if (!value.is_string()) refuse_input(fmt::format("{} is {}; give a string", place, shown(value)));
  return value.get<std::string>();
}

const nlohmann::json& JsonObject::list(const char* key) const { return list_in(json_.at(key), place_of(key)); }

const nlohmann::json& JsonObject::list_in(const nlohmann::json& value, const std::string& place) {
  if (!value.is_array()) refuse_input(fmt::format("{} is {}; give a list", place, shown(value)));
  return value;
}

const nlohmann::json& JsonObject::object(const char* key) const {
  const nlohmann::json& value = json_.at(key);
  if (!value.is_object()) refuse_input(fmt::format("{} is {}; write an object", place_of(key), shown(value)));
  return value;
}

std::vector<std::string> JsonObject::texts(const char* key) const {
  std::vector<std::string> result;
  for (const nlohmann::json& value : list(key)) result.push_back(text_in(value, place_of(key)));
  return result;
}

void JsonObject::refuse(const std::string& what) const { refuse_input(fmt::format("{}: {}", place_, what)); }

std::string JsonObject::shown(const nlohmann::json& value) {
  std::string text;
  add_part(value, text);
  if (text.size() > most_shown) text = text.substr(0, most_shown - 3) + "...";
  return printable(text);
}

}  // namespace takt
