#include "training/diagnosis/idle_causes.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "training/steps/breakdown.h"

namespace takt {
namespace {

constexpr std::int64_t longest_launch_ns = 1'000'000, shortest_pause_ns = 100'000;

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

/// Brief gaps in which the program takes memory of the device or frees it, from then on: such calls may wait until the
/// device has run empty, and whoever makes them does not get ahead of it.
Intervals gaps_of_allocation(const Intervals& idle, const Activity& activity) {
  std::vector<TimeInterval> list;
  for (const HostSpan& span : activity.host)
    if (span.role == Role::allocation && activity.trains[static_cast<std::size_t>(span.row)]) list.push_back(span.span);
  const Intervals calls = unite(std::move(list));
  Intervals gaps;
  for (const TimeInterval& gap : idle) {
    const auto next = std::partition_point(calls.begin(), calls.end(),
                                           [&](const TimeInterval& call) { return call.end <= gap.start; });
    if (next == calls.end() || next->start >= gap.end || gap.end - gap.start > longest_launch_ns) continue;
    gaps.push_back({std::max(gap.start, next->start), gap.end});
  }
  return gaps;
}

/// Gaps that launching one kernel after the other leaves: brief ones whose next work was launched only in the gap.
/// Where the trace does not tell by what call, the program must have been at work in a good part of the gap. In longer
/// ones something else went on.
class LaunchGaps {
 public:
  LaunchGaps(const Activity& activity, const Intervals& at_work) : activity_(activity), at_work_(at_work) {
    for (const HostSpan& call : activity.host) {
      if (call.role == Role::launch && call.correlation != 0) launches_[call.correlation] = call.span.start;
    }
  }

  Intervals among(const Intervals& idle) const {
    Intervals gaps;
    for (const TimeInterval& gap : idle) {
      if (gap.end - gap.start > longest_launch_ns) continue;
      const auto launch = next_launch(gap.end);
      if (launch ? *launch >= gap.start : is_at_work(gap)) gaps.push_back(gap);
    }
    return gaps;
  }

  /// Pauses of the device with work at hand that was launched well before.
  Intervals with_work_at_hand(const Intervals& idle) const {
    Intervals pauses;
    for (const TimeInterval& gap : idle) {
      if (gap.end - gap.start < shortest_pause_ns) continue;
      const auto launch = next_launch(gap.end);
      if (launch && *launch + shortest_pause_ns / 2 <= gap.start) pauses.push_back(gap);
    }
    return pauses;
  }

 private:
  /// When the work was launched that begins at this time.
  std::optional<std::int64_t> next_launch(std::int64_t time) const {
    const auto work = std::partition_point(activity_.device.begin(), activity_.device.end(),
                                           [&](const DeviceSpan& span) { return span.span.start < time; });
    if (work == activity_.device.end() || work->span.start != time) return std::nullopt;
    const auto launch = launches_.find(work->correlation);
    return launch == launches_.end() ? std::nullopt : std::optional(launch->second);
  }

  bool is_at_work(TimeInterval gap) const {
    constexpr std::int64_t one_part_in = 3;
    auto at = std::partition_point(at_work_.begin(), at_work_.end(),
                                   [&](const TimeInterval& span) { return span.end <= gap.start; });
    std::int64_t worked = 0;
    for (; at != at_work_.end() && at->start < gap.end; ++at)
      worked += std::min(at->end, gap.end) - std::max(at->start, gap.start);
    return worked * one_part_in >= gap.end - gap.start;
  }

  const Activity& activity_;
  const Intervals& at_work_;
  std::unordered_map<std::int64_t, std::int64_t> launches_;  // start by correlation
};

}  // namespace

Intervals IdleCauses::all() const {
  return unite(unite(unite(data_wait, allocation), unite(unite(queued, communication), unite(own, seldom))),
               unite(unite(synchronisation, launch), other));
}

IdleCauses idle_causes(const Activity& activity, const Steps& steps, const HostLine& line) {
  IdleCauses causes;
  if (!activity.has_device()) return causes;
  const Intervals busy = device_cover(activity, {Role::kernel, Role::communication, Role::copy, Role::fill});
  Intervals left = subtract(steps_cover(steps), busy);
  const Intervals at_work =
      host_cover(activity, {Role::launch, Role::loading, Role::runtime, Role::op, Role::scalar_read});
  const Intervals drained = drained_gaps(left, activity), allocating = gaps_of_allocation(left, activity),
                  launching = LaunchGaps(activity, at_work).among(left),
                  queued = LaunchGaps(activity, at_work).with_work_at_hand(left);
  const auto take = [&](const Intervals& set) {
    Intervals taken = intersect(left, set);
    left = subtract(left, taken);
    return taken;
  };
  causes.data_wait = take(host_cover(activity, {Role::data_wait}));
  causes.communication = take(line.collectives);
  causes.allocation = take(unite(host_cover(activity, {Role::allocation}), allocating));
  causes.queued = take(queued);
  causes.own = take(line.own_times());
  causes.seldom = take(line.seldom_times());
  causes.synchronisation = take(subtract(drained, host_cover(activity, {Role::synchronisation})));
  causes.launch = take(launching);
  causes.other = std::move(left);
  return causes;
}

}  // namespace takt
