// An object of a JSON file that has to be as it is described: the sentences that refuse everything else.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace takt {

/// Throws Error(bad_input), "PLACE: 'KEY' is VALUE; give …". Refers to the JSON, which must outlive it.
class JsonObject {
 public:
  /// All of `keys` must be there, of `optional` some may be, and nothing else.
  JsonObject(const nlohmann::json& json, std::string place, std::initializer_list<std::string_view> keys,
             std::initializer_list<std::string_view> optional = {})
      : json_(json), place_(std::move(place)) {
    if (!json.is_object()) refuse(fmt::format("is {}; write an object", shown(json)));
    const auto is_in = [](const auto& list, std::string_view key) {
      return std::find(list.begin(), list.end(), key) != list.end();
    };
    for (const auto& [key, value] : json.items())
      if (!is_in(keys, key) && !is_in(optional, key))
        refuse(fmt::format("'{}' has no meaning; known are {}", printable(key), fmt::join(keys, ", ")));
    for (const std::string_view key : keys)
      if (!json.contains(key)) refuse(fmt::format("has no '{}'; takt kernels record writes such files", key));
  }

  const nlohmann::json& operator[](const char* key) const { return json_.at(key); }
  bool has(const char* key) const { return json_.contains(key); }
  const std::string& place() const { return place_; }
  std::string place_of(std::string_view key) const { return fmt::format("{}: '{}'", place_, printable(key)); }

  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most) const {
    return integer_in(json_.at(key), place_of(key), least, most);
  }
  static std::int64_t integer_in(const nlohmann::json& value, const std::string& place, std::int64_t least,
                                 std::int64_t most) {
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() || value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most));
    if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
      refuse_input(fmt::format("{} is {}; give a whole number from {} to {}", place, shown(value), least, most));
    return value.get<std::int64_t>();
  }
  std::string text(const char* key) const { return text_in(json_.at(key), place_of(key)); }
  static std::string text_in(const nlohmann::json& value, const std::string& place) {
    if (!value.is_string()) refuse_input(fmt::format("{} is {}; give a text", place, shown(value)));
    return value.get<std::string>();
  }
  const nlohmann::json& list(const char* key) const { return list_in(json_.at(key), place_of(key)); }
  static const nlohmann::json& list_in(const nlohmann::json& value, const std::string& place) {
    if (!value.is_array()) refuse_input(fmt::format("{} is {}; give a list", place, shown(value)));
    return value;
  }
  const nlohmann::json& object(const char* key) const {
    const auto& value = json_.at(key);
    if (!value.is_object()) refuse_input(fmt::format("{} is {}; write an object", place_of(key), shown(value)));
    return value;
  }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> result;
    for (const auto& value : list(key)) result.push_back(text_in(value, place_of(key)));
    return result;
  }
  [[noreturn]] void refuse(const std::string& what) const { refuse_input(fmt::format("{}: {}", place_, what)); }

  static std::string shown(const nlohmann::json& json) {
    return printable(json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 40));
  }

 private:
  const nlohmann::json& json_;
  std::string place_;
};

}  // namespace takt
