#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/quoted.h"
#include "base/basics/text.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"
#include "plan/estimate/cost_table.h"

namespace takt {
namespace {

using CostJson = nlohmann::json;

constexpr double year_us = 365.0 * 24 * 3600 * 1e6;
constexpr std::int64_t most_bytes = std::int64_t{1} << 50;

std::string shown(const CostJson& json) { return JsonObject::shown(json); }

CostJson strictly_parsed(std::string_view text, std::string_view where) {
  CostJson file = parse_strictly(text, where);
  if (!file.is_object() || !file.contains("units") || !file.contains("times_us"))
    refuse_input(
        fmt::format("{}: is not a file of costs; write {{\"units\": [\"CPU\", \"GPU\"], \"times_us\": {{\"CPU\": [40, "
                    "10], \"GPU\": [12, null]}}}}",
                    where));
  return file;
}

bool is_law(const CostJson& value) {
  return value.is_object() && (value.contains("per_node") || value.contains("per_edge"));
}

bool has_law(const CostJson& json) {
  return is_law(json) || (json.is_structured() && std::any_of(json.begin(), json.end(), has_law));
}

class CostReader {
 public:
  CostReader(const CostJson& file, std::string_view where, const std::optional<GraphSize>& size)
      : file_(file), where_(where), size_(size), costs_(stages_in(file), units_in_file()) {}

  PlanCostTable read() {
    check_keys(file_, "",
               {"units", "times_us", "ranges_us", "transfers_us", "divide_us", "slow_downs", "memory_bytes"});
    each("times_us",
         [&](const std::string& key, const CostJson& value) { read_times(unit_in(key, "times_us"), key, value); });
    each("ranges_us",
         [&](const std::string& key, const CostJson& value) { read_ranges(unit_in(key, "ranges_us"), key, value); });
    each("transfers_us", [&](const std::string& key, const CostJson& value) { read_transfer(key, value); });
    each("slow_downs", [&](const std::string& key, const CostJson& value) { read_slow_down(key, value); });
    each("memory_bytes",
         [&](const std::string& key, const CostJson& value) { read_memory(unit_in(key, "memory_bytes"), key, value); });
    read_divide();
    return std::move(costs_);
  }

 private:
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const {
    refuse_input(fmt::format("{}: '{}': {}", where_, quoted_part(key), what));
  }

  int stages_in(const CostJson& file) const {
    const CostJson& times = file["times_us"];
    if (!times.is_object() || times.empty() || !times.begin()->is_array() || times.begin()->empty())
      refuse("times_us", "give a list with a time per stage for every unit");
    if (times.begin()->size() > 100) refuse("times_us", "there are more than 100 stages");
    return static_cast<int>(times.begin()->size());
  }

  std::vector<std::string> units_in_file() const {
    std::vector<std::string> units;
    const CostJson& list = file_["units"];
    for (const CostJson& unit : list.is_array() ? list : CostJson::array()) {
      if (!unit.is_string() || unit == "host" || unit == "")
        refuse("units", fmt::format("{} is not a name", shown(unit)));
      units.push_back(unit.get<std::string>());
      if (std::count(units.begin(), units.end(), units.back()) > 1)
        refuse("units", fmt::format("{} is listed twice", shown(unit)));
    }
    if (units.empty() || units.size() > 8) refuse("units", "give a list of 1 to 8 names");
    return units;
  }

  void check_keys(const CostJson& object, const std::string& key, std::initializer_list<std::string_view> known) const {
    if (!object.is_object()) refuse(key, fmt::format("is {}; give an object", shown(object)));
    for (const auto& [name, value] : object.items())
      if (std::find(known.begin(), known.end(), name) == known.end())
        refuse(key.empty() ? name : key,
               fmt::format("has no meaning for '{}'; use {}", quoted_part(name), fmt::join(known, ", ")));
  }

  template <typename Read>
  void each(const char* key, const Read& read) const {
    const auto found = file_.find(key);
    if (found == file_.end()) return;
    if (!found->is_object()) refuse(key, fmt::format("is {}; give an object", shown(*found)));
    for (const auto& [name, value] : found->items()) read(name, value);
  }

  int unit_in(std::string_view name, const std::string& key, bool or_host = false) const {
    if (or_host && name == "host") return PlanCosts::host;
    const auto& units = costs_.units();
    const auto found = std::find(units.begin(), units.end(), name);
    if (found == units.end())
      refuse(key, fmt::format("the unit '{}' does not exist; use {}", quoted_part(name), fmt::join(units, ", ")));
    return static_cast<int>(found - units.begin());
  }

  Nanoseconds time_in(const CostJson& value, const std::string& key) const {
    const double us = value.is_number() ? value.get<double>() : -1;
    if (!(us >= 0 && us <= year_us)) refuse(key, fmt::format("{} is not a time in microseconds", shown(value)));
    return Nanoseconds(std::llround(us * 1000));
  }

  struct Law {
    Nanoseconds fixed{}, by_size{};
  };
  Law law_in(const CostJson& value, const std::string& key) const {
    check_keys(value, key, {"fixed", "per_node", "per_edge"});
    if (!size_) refuse(key, "depends on the size of a batch; give --nodes N --edges E");
    const auto us = [&](const char* name) {
      const CostJson given = value.value(name, CostJson(0));
      const double number = given.is_number() ? given.get<double>() : -1;
      if (!(number >= 0 && number <= year_us))
        refuse(key, fmt::format("{} is not a time in microseconds", shown(given)));
      return number;
    };
    const double by_size =
        us("per_node") * static_cast<double>(size_->nodes) + us("per_edge") * static_cast<double>(size_->edges);
    if (!(by_size <= year_us)) refuse(key, fmt::format("{} takes longer than a year at this size", shown(value)));
    return {Nanoseconds(std::llround(us("fixed") * 1000)), Nanoseconds(std::llround(by_size * 1000))};
  }
  /// A time that a part of a batch is no share of.
  Nanoseconds time_or_law_in(const CostJson& value, const std::string& key) const {
    if (!is_law(value)) return time_in(value, key);
    const Law law = law_in(value, key);
    return law.fixed + law.by_size;
  }

  void check_list(const CostJson& value, std::size_t entries, const std::string& key) const {
    if (!value.is_array() || value.size() != entries)
      refuse(key, fmt::format("is {}; give a list of {}", shown(value), entries));
  }

  void read_time(StageSpan span, int unit, const CostJson& value, const std::string& key) {
    if (value.is_null()) return;
    if (!value.is_object()) return costs_.set_time(span, unit, time_in(value, key));
    if (is_law(value)) {
      const Law law = law_in(value, key);
      return costs_.set_time(span, unit, law.fixed + law.by_size, law.fixed);
    }
    check_keys(value, key, {"whole", "fixed"});
    const Nanoseconds whole = time_in(value.value("whole", CostJson()), key);
    const Nanoseconds fixed = time_in(value.value("fixed", CostJson(0)), key);
    if (fixed > whole) refuse(key, fmt::format("has a fixed part in {} that exceeds the whole", shown(value)));
    costs_.set_time(span, unit, whole, fixed);
  }

  void read_times(int unit, const std::string& key, const CostJson& list) {
    const int stages = costs_.stages();
    check_list(list, index(stages), key);
    for (int stage = 1; stage <= stages; ++stage) read_time({stage, stage}, unit, list[index(stage - 1)], key);
  }

  void read_ranges(int unit, const std::string& key, const CostJson& ranges) {
    if (!ranges.is_object()) refuse(key, fmt::format("is {}; give an object such as {{\"1-3\": 20}}", shown(ranges)));
    for (const auto& [name, value] : ranges.items()) {
      const auto parts = split(name, '-');
      const auto first = number_in<int>(parts.front()), last = number_in<int>(parts.back());
      if (parts.size() != 2 || !first || !last || *first < 1 || *last <= *first || *last > costs_.stages())
        refuse(key, fmt::format("'{}' is not a range of stages from 1 to {}", quoted_part(name), costs_.stages()));
      read_time({*first, *last}, unit, value, key);
    }
  }

  void read_transfer(const std::string& key, const CostJson& value) {
    const auto ends = split(key, '>');
    if (ends.size() != 2) refuse(key, "write it as \"CPU>GPU\"");
    const int from = unit_in(ends[0], key, true), to = unit_in(ends[1], key, true);
    if (from == to) refuse(key, "leads nowhere");
    const int cuts = costs_.stages() + 1;
    if (value.is_array()) check_list(value, index(cuts), key);
    for (int cut = 0; cut < cuts; ++cut)
      costs_.set_transfer(cut, from, to, time_or_law_in(value.is_array() ? value[index(cut)] : value, key));
  }

  void read_slow_down(const std::string& key, const CostJson& value) {
    constexpr std::string_view beside = " beside ";
    const auto at = key.find(beside);
    if (at == key.npos) refuse(key, "write it as \"CPU beside GPU\"");
    const int unit = unit_in(key.substr(0, at), key), other = unit_in(key.substr(at + beside.size()), key);
    const double factor = value.is_number() ? value.get<double>() : 0;
    if (unit == other) refuse(key, "a unit does not run concurrently with itself");
    if (!(factor >= 1 && factor <= 1000)) refuse(key, fmt::format("{} is not a factor from 1 to 1000", shown(value)));
    costs_.set_slow_down(unit, other, factor);
  }

  std::int64_t bytes_in(const CostJson& value, const std::string& key) const {
    const double bytes = value.is_number_integer() ? value.get<double>() : -1;
    if (!(bytes >= 0 && bytes <= static_cast<double>(most_bytes)))
      refuse(key, fmt::format("{} is not a number of bytes", shown(value)));
    return value.get<std::int64_t>();
  }

  void read_memory(int unit, const std::string& key, const CostJson& value) {
    check_keys(value, key, {"limit", "stages"});
    const CostJson list = value.value("stages", CostJson());
    check_list(list, index(costs_.stages()), key);
    std::vector<std::int64_t> stages;
    for (const CostJson& bytes : list) stages.push_back(bytes_in(bytes, key));
    costs_.set_memory(unit, std::move(stages), bytes_in(value.value("limit", CostJson()), key));
  }

  void read_divide() {
    const auto found = file_.find("divide_us");
    if (found == file_.end()) return;
    check_keys(*found, "divide_us", {"partition", "merge"});
    costs_.set_divide({time_or_law_in(found->value("partition", CostJson(0)), "divide_us"),
                       time_or_law_in(found->value("merge", CostJson(0)), "divide_us")});
  }

  const CostJson& file_;
  std::string_view where_;
  std::optional<GraphSize> size_;
  PlanCostTable costs_;
};

}  // namespace

PlanCostTable parse_plan_costs(std::string_view json, std::string_view where, const std::optional<GraphSize>& size) {
  const CostJson file = strictly_parsed(json, where);
  return CostReader(file, where, size).read();
}

CostFileKind cost_file_kind(std::string_view json) {
  const auto file = strict_json_in(json);
  if (file && file->is_object() && !file->empty() && !file->contains("units") && !file->contains("times_us"))
    return CostFileKind::other;
  return file && has_law(*file) ? CostFileKind::by_size : CostFileKind::fixed;
}

}  // namespace takt
