#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"
#include "plan/sets/set_file.h"

namespace takt {
namespace {

using SetJson = nlohmann::json;

constexpr std::int64_t longest_ns = std::int64_t{365} * 24 * 3600 * 1'000'000'000;
constexpr std::int64_t most_graph = 2'147'483'646;  // runtimes count nodes in 32 bits
constexpr std::size_t most_entries = 100'000;

const SetJson& entries_of(const JsonObject& object, const char* key, std::size_t least) {
  const SetJson& list = object.list(key);
  if (list.size() < least || list.size() > most_entries)
    refuse_input(
        fmt::format("{} has {} entries; give {} to {}", object.place_of(key), list.size(), least, most_entries));
  return list;
}

double share_in(const JsonObject& object, const char* key) {
  const SetJson& value = object[key];
  const double share = value.is_number() ? value.get<double>() : -1;
  if (!(share >= 0 && share < 1))
    refuse_input(
        fmt::format("{} is {}; give a number from 0 to below 1", object.place_of(key), JsonObject::shown(value)));
  return share;
}

class SetReader {
 public:
  SetReader(const SetJson& file, std::string_view where)
      : where_(where),
        file_(file, std::string(where),
              {"takt", "takt_plan_set", "objective", "batches", "share_steps", "divided", "units_once", "most_blocks",
               "stages", "units", "switch_cost_ns", "tolerance", "costs", "plans", "sizes", "thresholds"}) {}

  PlanSet read() {
    file_.integer("takt_plan_set", 1, 1);
    read_settings();
    read_files();
    read_plans();
    read_points();
    read_thresholds();
    return std::move(set_);
  }

 private:
  std::string place(const char* what, std::size_t number) const {
    return fmt::format("{}: {} {}", where_, what, number + 1);
  }

  void read_settings() {
    const std::string objective = file_.text("objective");
    if (objective != "latency" && objective != "throughput")
      file_.refuse(fmt::format("'objective' is '{}'; use latency or throughput", printable(objective)));
    set_.objective = objective == "latency" ? PlanObjective::latency : PlanObjective::throughput;
    set_.batches = file_.integer("batches", 1, 1'000'000);
    set_.steps = static_cast<int>(file_.integer("share_steps", 1, 1'000'000));
    set_.divide = file_.flag("divided");
    set_.units_once = file_.flag("units_once");
    if (!file_.is_null("most_blocks")) set_.most_blocks = static_cast<int>(file_.integer("most_blocks", 1, 1000));
    set_.stages = static_cast<int>(file_.integer("stages", 1, 100));
    set_.switch_cost = Nanoseconds(file_.integer("switch_cost_ns", 0, longest_ns));
    set_.tolerance = share_in(file_, "tolerance");
    for (const SetJson& unit : entries_of(file_, "units", 1)) {
      const bool is_new = unit.is_string() && std::find(set_.units.begin(), set_.units.end(),
                                                        unit.get_ref<const std::string&>()) == set_.units.end();
      if (!is_new || set_.units.size() == 8) file_.refuse("'units' is not a list of 1 to 8 different names");
      set_.units.push_back(unit.get<std::string>());
    }
  }

  void read_files() {
    for (const SetJson& json : entries_of(file_, "costs", 0)) {
      const JsonObject file(json, place("costs", set_.files.size()), {"file", "fingerprint"});
      set_.files.push_back({file.text("file"), file.text("fingerprint")});
    }
  }

  void read_plans() {
    const PlanRules rules{set_.stages, set_.units, {}, false};
    std::set<std::string> seen;
    for (const SetJson& json : entries_of(file_, "plans", 1)) {
      const std::string here = place("plan", set_.plans.size());
      const Plan plan = parse_plan_json(json.dump(-1, ' ', true, SetJson::error_handler_t::replace), here);
      check(plan, rules, here);
      if (!seen.insert(to_json(plan)).second)
        refuse_input(fmt::format("{}: {} is listed twice; keep one", here, to_string(plan)));
      set_.plans.push_back(plan);
    }
  }

  static GraphSize size_in(const JsonObject& object) {
    return {object.integer("nodes", 1, most_graph), object.integer("edges", 0, most_graph)};
  }

  PlanSet::Point point_in(const SetJson& json, const std::string& here) const {
    const JsonObject object(json, here, {"nodes", "edges", "costs_ns", "best", "best_known_ns", "extrapolated"});
    PlanSet::Point point{size_in(object), {}, 0, {}, object.flag("extrapolated")};
    const SetJson& costs = entries_of(object, "costs_ns", 1);
    if (costs.size() != set_.plans.size())
      object.refuse(fmt::format("'costs_ns' has {} times for {} plans", costs.size(), set_.plans.size()));
    for (const SetJson& cost : costs)
      point.costs.push_back(cost.is_null() ? PlanSet::Cost()
                                           : PlanSet::Cost(Nanoseconds(JsonObject::integer_in(
                                                 cost, object.place_of("costs_ns"), 0, longest_ns))));
    point.best = static_cast<int>(object.integer("best", 0, static_cast<std::int64_t>(set_.plans.size()) - 1));
    point.best_known = Nanoseconds(object.integer("best_known_ns", 0, longest_ns));
    const PlanSet::Cost& best = point.costs[index(point.best)];
    for (const PlanSet::Cost& cost : point.costs)
      if (!best || (cost && *cost < *best))
        object.refuse(fmt::format("plan {} is not the best for these costs; compile the set again", point.best));
    return point;
  }

  void read_points() {
    for (const SetJson& json : entries_of(file_, "sizes", 1)) {
      const std::string here = place("size", set_.points.size());
      PlanSet::Point point = point_in(json, here);
      if (!set_.points.empty() && rows_of(point.size) <= rows_of(set_.points.back().size))
        refuse_input(fmt::format("{}: {} overlap {}, because they do not have more rows (nodes + edges)", here,
                                 size_text(point.size), size_text(set_.points.back().size)));
      set_.points.push_back(std::move(point));
    }
  }

  std::optional<GraphSize> size_or_null(const JsonObject& object, const char* key) const {
    if (object.is_null(key)) return std::nullopt;
    return size_in(JsonObject(object[key], object.place_of(key), {"nodes", "edges"}));
  }

  void read_thresholds() {
    const SetJson& list = entries_of(file_, "thresholds", 0);
    std::size_t next = 0;
    for (std::size_t p = 1; p < set_.points.size(); ++p) {
      if (set_.points[p].best == set_.points[p - 1].best) continue;
      if (next == list.size())
        file_.refuse(fmt::format("'thresholds' has no entry for the switch before {}", size_text(set_.points[p].size)));
      set_.thresholds.push_back(threshold_in(list[next], place("threshold", next), p));
      ++next;
    }
    if (next < list.size())
      refuse_input(fmt::format("{}: the best plan does not change there", place("threshold", next)));
  }

  PlanThreshold threshold_in(const SetJson& json, const std::string& here, std::size_t point) const {
    const JsonObject object(json, here, {"below", "above", "at", "up", "down"});
    const auto most = static_cast<std::int64_t>(set_.plans.size()) - 1;
    PlanThreshold threshold{
        static_cast<int>(object.integer("below", 0, most)), static_cast<int>(object.integer("above", 0, most)),
        size_or_null(object, "at").value_or(GraphSize{}), size_or_null(object, "up"), size_or_null(object, "down")};
    const PlanSet::Point &low = set_.points[point - 1], &high = set_.points[point];
    if (threshold.below != low.best || threshold.above != high.best)
      object.refuse(fmt::format("is for a switch from plan {} to {}, but the best plan changes from {} to {} there",
                                threshold.below, threshold.above, low.best, high.best));
    const std::int64_t at = rows_of(threshold.at);
    if (at <= rows_of(low.size) || at > rows_of(high.size))
      object.refuse(fmt::format("'at' is not between {} and {}", size_text(low.size), size_text(high.size)));
    return threshold;
  }

  std::string_view where_;
  JsonObject file_;
  PlanSet set_;
};

}  // namespace

PlanSet parse_plan_set(std::string_view json, std::string_view where) {
  const SetJson file = parse_strictly(json, where);
  if (!file.is_object() || !file.contains("takt_plan_set"))
    refuse_input(fmt::format("{}: is not a plan set; make one with 'takt plan compile'", where));
  return SetReader(file, where).read();
}

PlanSet read_plan_set(const std::filesystem::path& path) {
  return parse_plan_set(read_file(path), printable(path.string()));
}

}  // namespace takt
