#include "core/strict_json.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace takt {
namespace {

using Json = nlohmann::json;

/// The keys of the objects that are open, and which was read last.
class SeenKeys {
 public:
  explicit SeenKeys(std::string_view where) : where_(where) {}

  bool see(Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event == Json::parse_event_t::key) see_key(parsed.get_ref<const std::string&>());
    return true;
  }

  /// ": '1000,2000,CPU,1'": behind the name of the file.
  std::string place() const {
    return row_.empty() ? std::string() : fmt::format(": '{}'", printable(row_.substr(0, 80)));
  }

 private:
  void see_key(const std::string& key) {
    if (open_.size() == 1) row_ = key;
    if (!open_.back().insert(key).second)
      refuse_input(open_.size() == 1
                       ? fmt::format("{}: '{}' is there twice; keep one", where_, printable(key))
                       : fmt::format("{}{}: '{}' is there twice; keep one", where_, place(), printable(key)));
  }

  std::string_view where_;
  std::vector<std::set<std::string>> open_;
  std::string row_;
};

}  // namespace

Json parse_strictly(std::string_view json, std::string_view where) {
  if (trim(json).empty()) refuse_input(fmt::format("{}: is empty", where));
  SeenKeys keys(where);
  try {
    return Json::parse(json, [&](int, Json::parse_event_t event, Json& parsed) { return keys.see(event, parsed); });
  } catch (const Json::parse_error& error) {
    refuse_input(fmt::format("{}{}: byte {} is no JSON, where numbers are finite and written with digits", where,
                             keys.place(), error.byte));
  } catch (const Json::out_of_range&) {
    refuse_input(fmt::format("{}{}: has a number that is too large", where, keys.place()));
  }
}

}  // namespace takt
