#include "training/steps/long_step.h"

#include <algorithm>
#include <vector>

#include "base/statistics/statistics.h"

namespace takt {

std::optional<LongStep> find_long_step(const Steps& steps, const Breakdown& breakdown) {
  constexpr std::size_t fewest = 5;
  constexpr double far_longer = 3;
  if (steps.list.size() < fewest) return std::nullopt;
  std::vector<double> lengths;
  for (const TrainingStep& step : steps.list) lengths.push_back(static_cast<double>(step.span.end - step.span.start));
  const auto longest = static_cast<std::size_t>(std::max_element(lengths.begin(), lengths.end()) - lengths.begin());
  std::vector<double> sorted = lengths;
  std::sort(sorted.begin(), sorted.end());
  const double usual = percentile(sorted, 0.5);
  if (usual <= 0 || sorted.back() < far_longer * usual || sorted[sorted.size() - 2] >= far_longer * usual)
    return std::nullopt;
  const auto& parts = breakdown.by_step[longest];
  const auto most = static_cast<std::size_t>(std::max_element(parts.begin(), parts.end()) - parts.begin());
  return LongStep{steps.list[longest].number, steps.list[longest].span.end - steps.list[longest].span.start,
                  sorted.back() / usual, static_cast<StepPart>(most), static_cast<double>(parts[most]) / sorted.back()};
}

}  // namespace takt
