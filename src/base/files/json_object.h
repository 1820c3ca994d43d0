// An object of a JSON file that has to be as it is described: the sentences that refuse everything else.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

/// Each function throws Error(bad_input), "PLACE: 'KEY' is VALUE; give …", for a value that is not what it asks for.
/// Refers to the JSON, which must outlive it.
class JsonObject {
 public:
  static constexpr double any_number = std::numeric_limits<double>::max();

  /// All of `keys` must be there, of `optional` some may be, and nothing else.
  JsonObject(const nlohmann::json& json, std::string place, std::initializer_list<std::string_view> keys,
             std::initializer_list<std::string_view> optional = {});

  const nlohmann::json& operator[](const char* key) const { return json_.at(key); }
  bool has(const char* key) const { return json_.contains(key); }
  bool is_null(const char* key) const { return json_.at(key).is_null(); }
  const std::string& place() const { return place_; }
  std::string place_of(std::string_view key) const;

  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most) const;
  std::size_t count(const char* key) const;
  double number(const char* key, double least, double most = any_number) const;  ///< finite
  std::optional<double> number_or_null(const char* key, double least, double most = any_number) const;
  bool flag(const char* key) const;
  std::string text(const char* key) const;
  const nlohmann::json& list(const char* key) const;
  const nlohmann::json& object(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  [[noreturn]] void refuse(const std::string& what) const;

  // The same for values that stand somewhere else, as in a list; `place` begins the sentence.
  static std::int64_t integer_in(const nlohmann::json& value, const std::string& place, std::int64_t least,
                                 std::int64_t most);
  static double number_in(const nlohmann::json& value, const std::string& place, double least,
                          double most = any_number);
  static std::string text_in(const nlohmann::json& value, const std::string& place);
  static const nlohmann::json& list_in(const nlohmann::json& value, const std::string& place);
  /// As a message shows it: short and printable; of a list or an object only that it is one.
  static std::string shown(const nlohmann::json& json);

 private:
  const nlohmann::json& json_;
  std::string place_;
};

}  // namespace takt
