// Rising step time: from some step on, steps take longer than before.
//
// Without a device it is the processor that computes, and its level changes with its clock and its neighbours: by a
// fifth often, now and then by more, for a second or for good. Neighbours hurt nearly all operators, but not alike:
// what is bound by memory more than what is not. A fault of a program hurts few of them, a lower clock all of them
// alike. So a rise that looks like neighbours is told only if it is by half.
#include "training/steps/rise.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics/statistics.h"
#include "training/diagnosis/rule_words.h"

namespace takt {
namespace {

constexpr double least_on_processor = 0.25, told_in_any_case = 0.5;

struct Level {
  double calls = 0, time = 0;  // per step
};

/// Of the operators of the threads that train, without those inside them.
std::map<StringId, Level> levels(const TrainingCase& one, std::size_t from, std::size_t to) {
  std::map<StringId, Level> by_name;
  const auto steps = static_cast<double>(to - from);
  for (const HostSpan& span : one.activity.host) {
    if (!is_operator(span.role) || !one.activity.trains[static_cast<std::size_t>(span.row)]) continue;
    const auto step = one.step_at(span.span.start);
    if (!step || *step < from || *step >= to) continue;
    Level& level = by_name[span.name];
    level.calls += 1 / steps;
    level.time += static_cast<double>(span.self_ns) / steps;
  }
  return by_name;
}

/// Whether most operators that are called as often as before became slower, and by very different factors.
bool looks_like_neighbours(const TrainingCase& one, const Rise& rise) {
  constexpr double noticed = 0.002, as_often = 0.05, most_are_slower_by = 0.25, differ_by = 0.3;
  constexpr std::size_t fewest = 8;
  const auto before = levels(one, 0, rise.at), after = levels(one, rise.at, one.steps.list.size());
  std::vector<double> slower;
  for (const auto& [name, now] : after) {
    const auto found = before.find(name);
    if (found == before.end() || found->second.time < noticed * rise.before) continue;
    if (std::abs(now.calls - found->second.calls) <= as_often * now.calls)
      slower.push_back(now.time / found->second.time - 1);
  }
  if (slower.size() < fewest) return false;
  const double whole = rise.after / rise.before - 1;
  std::sort(slower.begin(), slower.end());
  return percentile(slower, 0.5) >= most_are_slower_by * whole &&
         percentile(slower, 0.75) - percentile(slower, 0.25) >= differ_by * whole;
}

}  // namespace

RuleOutcome look_for_rise(const TrainingCase& one) {
  constexpr std::size_t fewest = 5;
  if (one.steps.list.size() < fewest) return abstain("at least 5 steps");
  std::vector<double> times;
  for (const TrainingStep& step : one.steps.list) times.push_back(static_cast<double>(step.span.end - step.span.start));
  const bool on_processor = !one.activity.expects_device;
  const auto rise = on_processor ? find_rise(times, least_on_processor) : find_rise(times);
  if (!rise) return nothing_found();
  if (on_processor && rise->after < (1 + told_in_any_case) * rise->before && looks_like_neighbours(one, *rise))
    return nothing_found();
  std::vector<std::int64_t> cost(times.size());
  const double usual = rise->is_gradual ? times.front() : rise->before;
  for (std::size_t i = rise->is_gradual ? 0 : rise->at; i < times.size(); ++i)
    cost[i] = std::max<std::int64_t>(0, static_cast<std::int64_t>(times[i] - usual));
  const std::int64_t number = one.steps.list[rise->at].number;
  const std::string what = rise->is_gradual ? fmt::format("step time grows steadily, from {} to {}",
                                                          time_text(times.front()), time_text(times.back()))
                                            : fmt::format("from step {} on, steps take {} instead of {}", number,
                                                          time_text(rise->after), time_text(rise->before));
  return found(
      TrainingCause::rising_step_time, cost, what,
      "Check what changes there: growing memory, a list that is never cleared, a loader that falls behind, or a "
      "throttled clock.");
}

}  // namespace takt
