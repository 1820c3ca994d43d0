#include "training/idle_causes.h"

#include <algorithm>

namespace takt {
namespace {

Intervals steps_cover(const Steps& steps) {
  std::vector<TimeInterval> list;
  for (const TrainingStep& step : steps.list) list.push_back(step.span);
  return unite(std::move(list));
}

/// From the return of a call that waited to the end of the gap in which it returned: the device had run empty because
/// nothing could be launched. What calls wait for inside a gap is not in the trace, so that is not counted.
Intervals drained_gaps(const Intervals& idle, const Activity& activity) {
  std::vector<std::int64_t> returns;
  for (const HostSpan& span : activity.host) {
    if (span.role == Role::synchronisation && activity.trains[static_cast<std::size_t>(span.row)])
      returns.push_back(span.span.end);
  }
  std::sort(returns.begin(), returns.end());
  Intervals drained;
  for (const TimeInterval& gap : idle) {
    const auto next = std::lower_bound(returns.begin(), returns.end(), gap.start);
    if (next != returns.end() && *next < gap.end) drained.push_back({*next, gap.end});
  }
  return drained;
}

/// Gaps that launching one kernel after the other leaves: brief ones, in a good part of which the program was at work
/// in calls and operators; between those it was on its way from one to the next. In longer ones something else went on.
Intervals launch_gaps(const Intervals& idle, const Intervals& at_work) {
  constexpr std::int64_t longest_launch_ns = 1'000'000, one_part_in = 3;
  Intervals gaps;
  auto work = at_work.begin();
  for (const TimeInterval& gap : idle) {
    if (gap.end - gap.start > longest_launch_ns) continue;
    while (work != at_work.end() && work->end <= gap.start) ++work;
    std::int64_t worked = 0;
    for (auto at = work; at != at_work.end() && at->start < gap.end; ++at)
      worked += std::min(at->end, gap.end) - std::max(at->start, gap.start);
    if (worked * one_part_in >= gap.end - gap.start) gaps.push_back(gap);
  }
  return gaps;
}

}  // namespace

Intervals IdleCauses::all() const {
  return unite(unite(unite(data_wait, allocation), unite(synchronisation, launch)), other);
}

IdleCauses idle_causes(const Activity& activity, const Steps& steps) {
  IdleCauses causes;
  if (!activity.has_device()) return causes;
  const Intervals busy = device_cover(activity, {Role::kernel, Role::communication, Role::copy, Role::fill});
  Intervals left = subtract(steps_cover(steps), busy);
  const Intervals at_work = host_cover(activity, {Role::launch, Role::runtime, Role::op, Role::scalar_read});
  const Intervals drained = drained_gaps(left, activity), launching = launch_gaps(left, at_work);
  const auto take = [&](const Intervals& set) {
    Intervals taken = intersect(left, set);
    left = subtract(left, taken);
    return taken;
  };
  causes.data_wait = take(host_cover(activity, {Role::data_wait}));
  causes.allocation = take(host_cover(activity, {Role::allocation}));
  causes.synchronisation = take(subtract(drained, host_cover(activity, {Role::synchronisation})));
  causes.launch = take(launching);
  causes.other = std::move(left);
  return causes;
}

}  // namespace takt
