#include "measure/report/usage_json.h"

#include <fmt/format.h>

#include <vector>

namespace takt {
namespace {

struct Key {
  std::string_view name;
  std::string (*text)(const Usage&);
};

std::string number(const std::optional<Nanoseconds>& time) {
  return time ? std::to_string(time->count()) : std::string("null");
}
std::string number(const std::optional<std::int64_t>& count) {
  return count ? std::to_string(*count) : std::string("null");
}

constexpr Key keys[] = {
    {"run_delay_ns", [](const Usage& u) { return number(u.run_delay); }},
    {"cpu_time_ns", [](const Usage& u) { return number(u.cpu_time); }},
    {"voluntary_switches", [](const Usage& u) { return number(u.voluntary_switches); }},
    {"involuntary_switches", [](const Usage& u) { return number(u.involuntary_switches); }},
    {"minor_faults", [](const Usage& u) { return number(u.minor_faults); }},
    {"major_faults", [](const Usage& u) { return number(u.major_faults); }},
    {"machine_busy_ns", [](const Usage& u) { return number(u.machine_busy); }},
    {"steal_ns", [](const Usage& u) { return number(u.steal); }},
    {"throttled_ns", [](const Usage& u) { return number(u.throttled); }},
    {"mhz", [](const Usage& u) { return u.mhz ? fmt::format("{}", *u.mhz) : std::string("null"); }},
};

}  // namespace

std::string usage_json(const RunPass& pass) {
  std::vector<std::string> runs, walls, lists;
  for (const UsageSpan& span : pass.usage) {
    runs.push_back(std::to_string(span.runs));
    walls.push_back(std::to_string(span.wall.count()));
  }
  lists.push_back(fmt::format(R"("runs": [{}])", fmt::join(runs, ", ")));
  lists.push_back(fmt::format(R"("wall_ns": [{}])", fmt::join(walls, ", ")));
  for (const Key& key : keys) {
    std::vector<std::string> values;
    for (const UsageSpan& span : pass.usage) values.push_back(key.text(span.used));
    lists.push_back(fmt::format(R"("{}": [{}])", key.name, fmt::join(values, ", ")));
  }
  std::vector<std::int64_t> walks;
  for (const Nanoseconds walk : pass.cache_walks) walks.push_back(walk.count());
  if (!walks.empty()) lists.push_back(fmt::format(R"("cache_walk_ns": [{}])", fmt::join(walks, ", ")));
  return fmt::format("{{\n{}\n}}", fmt::join(lists, ",\n"));
}

}  // namespace takt
