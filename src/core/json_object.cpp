#include "core/json_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/text.h"

namespace takt {

JsonObject::JsonObject(const nlohmann::json& value, std::string place, std::initializer_list<std::string_view> keys,
                       std::initializer_list<std::string_view> optional)
    : json_(value), place_(std::move(place)) {
  if (!value.is_object()) refuse(fmt::format("is {}; write an object", shown(value)));
  const auto is_in = [](const auto& list, std::string_view key) {
    return std::find(list.begin(), list.end(), key) != list.end();
  };
  for (const auto& item : value.items())
    if (!is_in(keys, item.key()) && !is_in(optional, item.key()))
      refuse(fmt::format("'{}' has no meaning; known are {}", printable(item.key()), fmt::join(keys, ", ")));
  for (const std::string_view key : keys)
    if (!value.contains(key)) refuse(fmt::format("has no '{}'", key));
}

std::string JsonObject::place_of(std::string_view key) const { return fmt::format("{}: '{}'", place_, printable(key)); }

std::int64_t JsonObject::integer(const char* key, std::int64_t least, std::int64_t most) const {
  return integer_in(json_.at(key), place_of(key), least, most);
}

std::int64_t JsonObject::integer_in(const nlohmann::json& value, const std::string& place, std::int64_t least,
                                    std::int64_t most) {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most));
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

double JsonObject::number(const char* key, double least) const {
  const nlohmann::json& value = json_.at(key);
  if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < least)
    refuse_input(fmt::format("{} is {}; give a number from {}", place_of(key), shown(value), least));
  return value.get<double>();
}

std::optional<double> JsonObject::number_or_null(const char* key, double least) const {
  return is_null(key) ? std::nullopt : std::optional(number(key, least));
}

bool JsonObject::flag(const char* key) const {
  const nlohmann::json& value = json_.at(key);
  if (!value.is_boolean()) refuse_input(fmt::format("{} is {}; give true or false", place_of(key), shown(value)));
  return value.get<bool>();
}

std::string JsonObject::text(const char* key) const { return text_in(json_.at(key), place_of(key)); }

std::string JsonObject::text_in(const nlohmann::json& value, const std::string& place) {
  if (!value.is_string()) refuse_input(fmt::format("{} is {}; give a text", place, shown(value)));
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
  return printable(value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 40));
}

}  // namespace takt
