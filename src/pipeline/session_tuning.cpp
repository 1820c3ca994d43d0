#include "pipeline/session_tuning.h"

#include <algorithm>
#include <numeric>

#include "core/affinity.h"

namespace takt {

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
