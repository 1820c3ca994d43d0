#include "training/steps/breakdown.h"

#include <algorithm>
#include <numeric>

namespace takt {
namespace {

struct PartText {
  std::string_view name, meaning;
};

constexpr std::array<PartText, step_part_count> part_texts{{
    {"kernel", "a device computes"},
    {"memory_copy", "a device copies or fills memory and computes nothing"},
    {"communication",
     "data moves between ranks and nothing else runs on a device; without a device, nothing is computed"},
    {"launch", "the program launches device work, and no device works"},
    {"synchronisation", "the program waits for a device that is already idle"},
    {"data_wait", "the training loop waits for its next batch, and no device works"},
    {"host_compute", "operators run in the program, and no device works"},
    {"idle", "only the program's own code runs, or nothing"},
}};

Intervals collectives_of(const Activity& activity) {
  std::vector<TimeInterval> list;
  for (const HostSpan& span : activity.host) {
    if (span.role == Role::collective) list.push_back(span.span);
  }
  return unite(std::move(list));
}

struct PartSet {
  StepPart part{};
  Intervals set;
};

/// In the order in which they take an instant.
std::vector<PartSet> parts_of(const Activity& activity) {
  const Intervals operators = host_cover(activity, {Role::op, Role::scalar_read});
  Intervals waits = host_cover(activity, {Role::data_wait});
  if (!activity.has_device()) {
    const Intervals collectives = collectives_of(activity);
    return {{StepPart::synchronisation, host_cover(activity, {Role::synchronisation})},
            {StepPart::data_wait, std::move(waits)},
            {StepPart::host_compute, operators},
            {StepPart::communication, collectives}};
  }
  return {{StepPart::kernel, device_cover(activity, {Role::kernel})},
          {StepPart::memory_copy, device_cover(activity, {Role::copy, Role::fill})},
          {StepPart::communication, device_cover(activity, {Role::communication})},
          {StepPart::launch, host_cover(activity, {Role::launch, Role::allocation, Role::loading, Role::runtime})},
          {StepPart::synchronisation, host_cover(activity, {Role::synchronisation})},
          {StepPart::data_wait, std::move(waits)},
          {StepPart::host_compute, operators}};
}

}  // namespace

std::string_view name_of(StepPart part) { return part_texts[static_cast<std::size_t>(part)].name; }
std::string_view meaning_of(StepPart part) { return part_texts[static_cast<std::size_t>(part)].meaning; }

std::int64_t Breakdown::sum(StepPart part) const {
  std::int64_t sum = 0;
  for (const auto& step : by_step) sum += step[static_cast<std::size_t>(part)];
  return sum;
}

double Breakdown::share(StepPart part) const {
  return total == 0 ? 0 : static_cast<double>(sum(part)) / static_cast<double>(total);
}

Intervals steps_cover(const Steps& steps) {
  std::vector<TimeInterval> list;
  for (const TrainingStep& step : steps.list) list.push_back(step.span);
  return unite(std::move(list));
}

std::vector<std::int64_t> by_step(const Intervals& set, const Steps& steps) {
  std::vector<std::int64_t> times;
  std::size_t first = 0;
  for (const TrainingStep& step : steps.list) {
    while (first < set.size() && set[first].end <= step.span.start) ++first;
    std::int64_t time = 0;
    for (std::size_t i = first; i < set.size() && set[i].start < step.span.end; ++i) {
      time += std::min(set[i].end, step.span.end) - std::max(set[i].start, step.span.start);
    }
    times.push_back(time);
  }
  return times;
}

Breakdown break_down(const Activity& activity, const Steps& steps) {
  Breakdown breakdown;
  breakdown.by_step.resize(steps.list.size());
  Intervals taken;
  for (const PartSet& one : parts_of(activity)) {
    const auto part = static_cast<std::size_t>(one.part);
    // A device that never communicates shows so; a wait for data that was not recorded does not.
    breakdown.applies[part] = !one.set.empty() || (activity.has_device() && one.part <= StepPart::communication);
    const std::vector<std::int64_t> times = by_step(subtract(one.set, taken), steps);
    for (std::size_t i = 0; i < times.size(); ++i) breakdown.by_step[i][part] = times[i];
    taken = unite(taken, one.set);
  }
  constexpr auto idle = static_cast<std::size_t>(StepPart::idle);
  breakdown.applies[idle] = true;
  for (std::size_t i = 0; i < steps.list.size(); ++i) {
    auto& parts = breakdown.by_step[i];
    const std::int64_t length = steps.list[i].span.end - steps.list[i].span.start;
    parts[idle] = length - std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
    breakdown.total += length;
  }
  return breakdown;
}

std::int64_t sum_of(const std::vector<std::int64_t>& by_step) {
  return std::accumulate(by_step.begin(), by_step.end(), std::int64_t{0});
}

std::vector<std::int64_t> reads_by_step(const Activity& activity, const Steps& steps, const Intervals& left_out) {
  std::vector<std::int64_t> counts(steps.list.size());
  std::int64_t end = INT64_MIN;
  for (const HostSpan& span : activity.host) {
    if (span.role != Role::scalar_read || !activity.trains[static_cast<std::size_t>(span.row)]) continue;
    if (span.span.start < end || contains(left_out, span.span.start)) continue;
    end = span.span.end;
    if (const auto step = step_at(steps, span.span.start)) ++counts[*step];
  }
  return counts;
}

}  // namespace takt
