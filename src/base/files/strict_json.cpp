#include "base/files/strict_json.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/quoted.h"
#include "base/basics/text.h"

namespace takt {
namespace {

using Json = nlohmann::json;

/// Builds the value as it is read. (The library's own way of looking at each key walks through all values of a list at
/// the end of each of them.)
class StrictTree final : public nlohmann::json_sax<Json> {
 public:
  explicit StrictTree(std::string_view where) : where_(where) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& value) override { return add(std::move(value)); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    if (open_.size() == 1) row_ = key;
    const auto [item, is_new] = open_.back()->get_ref<Json::object_t&>().emplace(key, nullptr);
    if (!is_new)
      refuse(open_.size() == 1 ? std::string() : place(),
             fmt::format("'{}' is listed twice; keep one", quoted_part(key)));
    value_of_key_ = &item->second;
    return true;
  }

  bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception& error) override {
    constexpr int too_large = 406;
    if (error.id == too_large) refuse(place(), "has a number that is too large");
    refuse(place(), fmt::format("byte {} is not JSON, where numbers are finite and written with digits", byte));
  }

 private:
  [[noreturn]] void refuse(const std::string& place, const std::string& what) const {
    refuse_input(fmt::format("{}{}: {}", where_, place, what));
  }

  /// ": '1000,2000,CPU,1'": behind the name of the file.
  std::string place() const { return row_.empty() ? row_ : fmt::format(": '{}'", quoted_part(row_)); }

  Json& put(Json&& value) {
    if (open_.empty()) return root_ = std::move(value);
    Json& parent = *open_.back();
    if (parent.is_object()) return *value_of_key_ = std::move(value);
    return parent.get_ref<Json::array_t&>().emplace_back(std::move(value));
  }

  bool add(Json&& value) {
    put(std::move(value));
    return true;
  }

  bool open(Json&& value) {
    if (open_.size() == most_nested) refuse(place(), fmt::format("nests more than {} lists and objects", most_nested));
    open_.push_back(&put(std::move(value)));  // stays where it is until it is closed
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view where_;
  Json root_;
  std::vector<Json*> open_;
  Json* value_of_key_ = nullptr;
  std::string row_;  ///< the last key of the outermost object
};

}  // namespace

Json parse_strictly(std::string_view json, std::string_view where) {
  if (trim(json).empty()) refuse_input(fmt::format("{}: is empty", where));
  StrictTree tree(where);
  Json::sax_parse(json, &tree);
  return tree.take();
}

std::optional<Json> strict_json_in(std::string_view text) try {
  return parse_strictly(text, "");
} catch (const Error&) {
  return std::nullopt;
}

}  // namespace takt
