// Devices of one process that take turns: a model that is spread over several of them, of which one works at a time.
// Without the turns the busiest of them would set the pace.
#include <algorithm>
#include <map>

#include "training/diagnosis/rule_words.h"

namespace takt {

RuleOutcome look_for_serial_devices(const TrainingCase& one) {
  constexpr double least_share = 0.10;
  std::map<std::int64_t, std::vector<TimeInterval>> spans;
  // Communication that waits for another device is no work of its own.
  for (const DeviceSpan& work : one.activity.device)
    if (work.role == Role::kernel && one.is_in_steps(work.span.start)) spans[work.device].push_back(work.span);
  if (spans.size() < 2) return nothing_found();
  std::vector<TimeInterval> all;
  std::vector<std::int64_t> busiest(one.steps.list.size());
  double busy_sum = 0;
  for (auto& [device, list] : spans) {
    all.insert(all.end(), list.begin(), list.end());
    const std::vector<std::int64_t> busy = by_step(unite(std::move(list)), one.steps);
    busy_sum += one.share(sum_of(busy));
    for (std::size_t i = 0; i < busy.size(); ++i) busiest[i] = std::max(busiest[i], busy[i]);
  }
  std::vector<std::int64_t> cost = by_step(unite(std::move(all)), one.steps);
  for (std::size_t i = 0; i < cost.size(); ++i) cost[i] -= busiest[i];
  if (one.share(sum_of(cost)) < least_share) return nothing_found();
  return found(TrainingCause::serial_devices, std::move(cost),
               fmt::format("{} devices of this process work one after the other; each computes for {} of the time on "
                           "average",
                           spans.size(), percent_text(busy_sum / static_cast<double>(spans.size()))),
               "Give each device its own batches (DistributedDataParallel), split batches into micro batches that "
               "follow each other through the devices, or use one device.");
}

}  // namespace takt
