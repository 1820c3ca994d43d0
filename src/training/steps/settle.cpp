// Where steps begin and end on the device, and which of them are no steady steps.
#include <algorithm>
#include <limits>
#include <unordered_map>
#include <vector>

#include "base/statistics/statistics.h"
#include "training/steps/lost_work.h"
#include "training/steps/steps.h"

namespace takt {
namespace {

std::unordered_map<std::int64_t, TimeInterval> launches_by_number(const Activity& activity) {
  std::unordered_map<std::int64_t, TimeInterval> launches;
  for (const HostSpan& call : activity.host)
    if (call.correlation != 0 && call.role != Role::synchronisation) launches.try_emplace(call.correlation, call.span);
  return launches;
}

/// Whether most work begins only after calls that had to wait for it: of the whole device, or of the only stream.
bool is_work_misplaced(const Activity& activity) {
  constexpr double most = 0.5;
  constexpr std::int64_t beyond_doubt_ns = 1'000'000;
  if (activity.device.empty()) return false;
  const RowId row = activity.device.front().row;
  const bool has_one_stream = std::all_of(activity.device.begin(), activity.device.end(),
                                          [&](const DeviceSpan& work) { return work.row == row; });
  if (!has_one_stream) return false;
  std::vector<TimeInterval> waits;  // by start
  for (const HostSpan& call : activity.host)
    if (call.role == Role::synchronisation && activity.trains[static_cast<std::size_t>(call.row)])
      waits.push_back(call.span);
  const auto launches = launches_by_number(activity);
  std::size_t misplaced = 0;
  for (const DeviceSpan& work : activity.device) {
    const auto launch = launches.find(work.correlation);
    if (launch == launches.end()) continue;
    const auto wait = std::lower_bound(waits.begin(), waits.end(), launch->second.end,
                                       [](const TimeInterval& span, std::int64_t time) { return span.start < time; });
    if (wait != waits.end() && work.span.start > wait->end + beyond_doubt_ns) ++misplaced;
  }
  return static_cast<double>(misplaced) >= most * static_cast<double>(activity.device.size());
}

/// By how much work begins before the call that launched it, at most: the clocks of program and device differ. 0: no
/// part worth naming does, or one number is of several calls.
std::int64_t lead_of_device(const Activity& activity) {
  constexpr std::int64_t beyond_doubt_ns = 100'000;
  constexpr std::size_t fewest = 3, one_in = 50;
  std::unordered_map<std::int64_t, TimeInterval> launches;
  for (const HostSpan& call : activity.host) {
    if (call.role != Role::launch || call.correlation == 0) continue;
    const auto [known, is_new] = launches.try_emplace(call.correlation, call.span);
    if (!is_new && call.span.start >= known->second.end) return 0;
  }
  std::int64_t lead = 0;
  std::size_t early = 0, launched = 0;
  for (const DeviceSpan& work : activity.device) {
    const auto launch = launches.find(work.correlation);
    if (launch == launches.end()) continue;
    ++launched;
    const std::int64_t before = launch->second.start - work.span.start;
    if (before >= beyond_doubt_ns) ++early;
    lead = std::max(lead, before);
  }
  return early >= fewest && early * one_in >= launched ? lead : 0;
}

/// Position of the last step that begins at the time or before; -1: none does.
std::ptrdiff_t begun_at(const std::vector<TrainingStep>& list, std::int64_t time) {
  const auto after = std::upper_bound(list.begin(), list.end(), time,
                                      [](std::int64_t t, const TrainingStep& step) { return t < step.host.start; });
  return after - list.begin() - 1;
}

/// By step, when all work of the steps before it is done.
std::vector<std::int64_t> ends_of_work(const Activity& activity, const std::vector<TrainingStep>& list) {
  std::vector<std::int64_t> ends(list.size() + 1, INT64_MIN);
  const auto launches = launches_by_number(activity);
  for (const DeviceSpan& work : activity.device) {
    const auto launch = launches.find(work.correlation);
    if (work.correlation == 0 || launch == launches.end()) continue;
    // Of a step whose mark the trace lacks.
    if (!list.empty() && launch->second.start >= list.back().host.end) continue;
    auto& end = ends[static_cast<std::size_t>(begun_at(list, launch->second.start) + 1)];
    end = std::max(end, work.span.end);
  }
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i] = std::max(ends[i], ends[i - 1]);
  return ends;
}

/// How many calls launched work in each step, and how many of them have some in the trace.
struct Recorded {
  std::size_t calls = 0, with_work = 0, events = 0;
  double share() const { return calls == 0 ? 0 : static_cast<double>(with_work) / static_cast<double>(calls); }
};

std::vector<Recorded> recorded_by_step(const Activity& activity, const std::vector<TrainingStep>& list) {
  std::unordered_map<std::int64_t, bool> has_work;
  for (const DeviceSpan& work : activity.device) has_work[work.correlation] = true;
  const auto names = names_with_work(activity);
  std::vector<Recorded> all(list.size());
  for (const HostSpan& span : activity.host) {
    const std::ptrdiff_t at = begun_at(list, span.span.start);
    if (at < 0 || span.span.start >= list[static_cast<std::size_t>(at)].host.end) continue;
    Recorded& step = all[static_cast<std::size_t>(at)];
    ++step.events;
    if (span.role != Role::launch || !names.contains(span.name)) continue;
    ++step.calls;
    if (has_work.contains(span.correlation)) ++step.with_work;
  }
  return all;
}

void set_unrecorded_apart(const Activity& activity, Steps& steps) {
  constexpr double most_are_there = 0.9, few_are_there = 0.5;
  if (!activity.has_device()) return;
  const std::vector<Recorded> recorded = recorded_by_step(activity, steps.list);
  double best = 0;
  for (const Recorded& step : recorded) best = std::max(best, step.share());
  if (best < most_are_there) return;
  std::vector<TrainingStep> whole;
  for (std::size_t i = 0; i < steps.list.size(); ++i) {
    const bool lacks_work = recorded[i].calls > 0 ? recorded[i].share() <= few_are_there : recorded[i].events == 0;
    (lacks_work ? steps.unrecorded : whole).push_back(steps.list[i]);
  }
  steps.list = std::move(whole);
}

double length_of_step(const TrainingStep& step) { return static_cast<double>(step.span.end - step.span.start); }

/// By number of first steps, the longest step behind them.
std::vector<double> longest_behind(const std::vector<TrainingStep>& list) {
  std::vector<double> longest(list.size() + 1);
  for (std::size_t i = list.size(); i-- > 0;) longest[i] = std::max(longest[i + 1], length_of_step(list[i]));
  return longest;
}

/// How many of the first steps, at most a third, take far longer than half of those behind them do. A later step that
/// takes as long says that they are no start.
std::size_t slow_starters(const std::vector<TrainingStep>& list) {
  constexpr double far_longer = 2, beyond_doubt = 10, as_long = 1.5;
  constexpr std::size_t fewest_behind = 4;
  const std::vector<double> longest = longest_behind(list);
  double shortest = std::numeric_limits<double>::max();
  std::size_t slow = 0;
  for (std::size_t count = 1; count < list.size() && count <= std::max<std::size_t>(1, list.size() / 3); ++count) {
    shortest = std::min(shortest, length_of_step(list[count - 1]));
    if (longest[count] >= shortest / as_long) continue;
    std::vector<double> behind;
    for (std::size_t i = count; i < list.size(); ++i) behind.push_back(length_of_step(list[i]));
    const double limit = behind.size() >= fewest_behind ? far_longer : beyond_doubt;
    if (shortest > limit * median(behind).value_or(0)) slow = count;
  }
  return slow;
}

}  // namespace

void settle_on_device(const Activity& activity, Steps& steps) {
  for (TrainingStep& step : steps.list) step.host = step.span;
  if (!activity.has_device() || steps.list.empty()) return;
  steps.device_lead = lead_of_device(activity);
  steps.is_misplaced = steps.device_lead > 0 || is_work_misplaced(activity);
  if (steps.is_misplaced) return;
  const std::vector<std::int64_t> done = ends_of_work(activity, steps.list);
  std::vector<TrainingStep> settled = steps.list;
  for (std::size_t i = 0; i < settled.size(); ++i) {
    const bool touches = i + 1 < settled.size() && steps.list[i + 1].host.start == steps.list[i].host.end;
    settled[i].span.start = std::max(settled[i].host.start, done[i]);
    settled[i].span.end = std::max(touches ? steps.list[i + 1].host.start : settled[i].host.end, done[i + 1]);
  }
  // A pause between steps, in which the device goes on: the next one begins when it does.
  for (std::size_t i = 0; i + 1 < settled.size(); ++i)
    settled[i].span.end = std::min(settled[i].span.end, settled[i + 1].span.start);
  const bool is_whole = std::all_of(settled.begin(), settled.end(),
                                    [](const TrainingStep& step) { return step.span.end > step.span.start; });
  if (is_whole) steps.list = std::move(settled);
}

void set_apart(const Activity& activity, Steps& steps) {
  set_unrecorded_apart(activity, steps);
  steps.lost_share = lost_share(activity, steps);
  if (steps.source == StepSource::annotation) return;
  const auto slow = static_cast<std::ptrdiff_t>(slow_starters(steps.list));
  steps.warm_up.assign(steps.list.begin(), steps.list.begin() + slow);
  steps.list.erase(steps.list.begin(), steps.list.begin() + slow);
}

}  // namespace takt
