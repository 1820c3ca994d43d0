#include "pipeline/stages/session_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/affinity.h"

namespace takt {

void check_tuning(const Tuning& tuning) {
  static const std::map<std::string, std::vector<std::string>> known{
      {"arena", {"on", "off"}},          {"hint", {"latency", "throughput"}}, {"hyper_threading", {"on", "off"}},
      {"memory_pattern", {"on", "off"}}, {"pinning", {"on", "off", "own"}},   {"spinning", {"on", "off"}}};
  std::vector<std::string> names;
  for (const auto& [name, values] : known) names.push_back(name);
  for (const auto& [name, value] : tuning) {
    const auto found = known.find(name);
    if (found == known.end())
      refuse_input(fmt::format("tuning '{}': this name does not exist; {}", printable(name),
                               suggestion(name, names, fmt::format("use {}", fmt::join(names, ", ")))));
    if (std::find(found->second.begin(), found->second.end(), value) == found->second.end())
      refuse_input(fmt::format("tuning '{}' is '{}'; use {}", name, printable(value), fmt::join(found->second, ", ")));
  }
}

std::optional<int> threads_of_session(const std::string& device, std::optional<int> threads) {
  return device == "CPU" ? threads : 1;
}

Tuning tuning_together(const std::vector<std::optional<int>>& threads) {
  if (threads.size() < 2) return {};
  const bool known = std::all_of(threads.begin(), threads.end(), [](const auto& one) { return one.has_value(); });
  const int all = std::accumulate(threads.begin(), threads.end(), 0,
                                  [](int sum, const auto& one) { return sum + one.value_or(0); });
  if (known && all <= static_cast<int>(usable_cores().size())) return {{"pinning", "own"}};
  return {{"pinning", "off"}, {"spinning", "off"}};
}

}  // namespace takt
