#include "training/figures/phases.h"

#include <algorithm>
#include <map>

#include "training/figures/around.h"
#include "training/figures/flops.h"

namespace takt {
namespace {

constexpr std::array<std::string_view, phase_count> phase_names{"forward", "backward", "optimizer", "data_wait",
                                                                "other"};

/// Where phases overlap, on several threads or inside of each other, the first of these has the time.
constexpr std::array phase_order{Phase::optimizer, Phase::backward, Phase::data_wait, Phase::forward};

std::size_t place(Phase phase) { return static_cast<std::size_t>(phase); }

using Lists = std::array<std::vector<TimeInterval>, phase_count>;

bool trains(const Activity& activity, const HostSpan& span) {
  return activity.trains[static_cast<std::size_t>(span.row)];
}

/// Optimizers and loaders tell themselves when they work.
Lists named_phases(const Trace& trace, const Activity& activity) {
  Lists lists;
  for (const HostSpan& span : activity.host) {
    if (!trains(activity, span)) continue;
    if (span.role == Role::optimizer) lists[place(Phase::optimizer)].push_back(span.span);
    if (span.role == Role::data_wait) lists[place(Phase::data_wait)].push_back(span.span);
  }
  for (const HostSpan& span : activity.named) {  // "Optimizer.zero_grad#SGD.zero_grad"
    const bool is_optimizer = span.role == Role::annotation && trace.text(span.name).starts_with("Optimizer.");
    if (is_optimizer && trains(activity, span)) lists[place(Phase::optimizer)].push_back(span.span);
  }
  return lists;
}

/// The passes, by operators that nothing else has, each with what lies between two of the same pass and step.
void add_passes(const Trace& trace, const Activity& activity, const Steps& steps, Lists& lists) {
  const Intervals taken = unite([&] {
    auto both = lists[place(Phase::optimizer)];
    const auto& waits = lists[place(Phase::data_wait)];
    both.insert(both.end(), waits.begin(), waits.end());
    return both;
  }());
  Phase last = Phase::other;
  std::size_t step = 0, last_step = 0;
  for (const HostSpan& span : activity.host) {
    if (!span.is_top || !trains(activity, span) || contains(taken, span.span.start)) continue;
    while (step < steps.list.size() && steps.list[step].host.start <= span.span.start) ++step;
    const Phase pass = is_backward(trace.text(span.name)) ? Phase::backward : Phase::forward;
    auto& list = lists[place(pass)];
    if (pass == last && step == last_step)
      list.back().end = std::max(list.back().end, span.span.end);
    else
      list.push_back(span.span);
    last = pass, last_step = step;
  }
}

/// The time of the steps, of the program or of the device; without steps all that the trace spans.
Intervals windows(const Activity& activity, const Steps& steps, TimeInterval TrainingStep::*side) {
  std::vector<TimeInterval> list;
  for (const TrainingStep& step : steps.list) list.push_back(step.*side);
  if (!list.empty()) return unite(std::move(list));
  for (const HostSpan& span : activity.host) list.push_back(span.span);
  for (const DeviceSpan& span : activity.device) list.push_back(span.span);
  return unite({hull(unite(std::move(list)))});
}

/// What each phase has of the windows; what they share goes to the first in order, `other` takes what is left of its
/// own list.
std::array<std::int64_t, phase_count> divide(const Lists& lists, const Intervals& within) {
  std::array<std::int64_t, phase_count> times{};
  Intervals taken;
  const auto take = [&](Phase phase) {
    const Intervals own = intersect(unite(lists[place(phase)]), within);
    times[place(phase)] = total(subtract(own, taken)).count();
    taken = unite(taken, own);
  };
  for (const Phase phase : phase_order) take(phase);
  take(Phase::other);
  return times;
}

}  // namespace

std::string_view name_of(Phase phase) { return phase_names[place(phase)]; }

Phase PhaseTimes::at(std::int64_t time) const {
  const auto found = std::find_if(phase_order.begin(), phase_order.end(),
                                  [&](Phase phase) { return contains(times[place(phase)], time); });
  return found == phase_order.end() ? Phase::other : *found;
}

PhaseTimes phase_times(const Trace& trace, const Activity& activity, const Steps& steps) {
  Lists lists = named_phases(trace, activity);
  add_passes(trace, activity, steps, lists);
  PhaseTimes phases;
  Intervals taken;
  for (const Phase phase : phase_order) {
    const Intervals own = unite(std::move(lists[place(phase)]));
    phases.times[place(phase)] = subtract(own, taken);
    taken = unite(taken, own);
  }
  return phases;
}

PhaseFigures phase_figures(const Trace& trace, const Activity& activity, const Steps& steps) {
  const PhaseTimes phases = phase_times(trace, activity, steps);
  const Intervals host = windows(activity, steps, &TrainingStep::host);
  const Intervals device = windows(activity, steps, &TrainingStep::span);
  PhaseFigures figures;
  figures.steps = std::ssize(steps.list);
  for (std::size_t i = 0; i < phase_count; ++i) {
    PhaseFigure& one = figures.list.emplace_back();
    one.phase = static_cast<Phase>(i);
    one.host_ns = total(intersect(phases.times[i], host)).count();
  }
  figures.list.back().host_ns = total(host).count();
  for (std::size_t i = 0; i + 1 < phase_count; ++i) figures.list.back().host_ns -= figures.list[i].host_ns;

  if (activity.has_device()) {
    Lists busy;
    const std::vector<Launch> launches = launches_of(activity);
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const auto call = static_cast<std::size_t>(launches[i].call);
      const Phase phase = launches[i].call < 0 ? Phase::other : phases.at(activity.host[call].span.start);
      const TimeInterval span = activity.device[i].span;
      busy[place(phase)].push_back(span);
      if (contains(device, span.start)) ++figures.list[place(phase)].launched;
    }
    const auto times = divide(busy, device);
    figures.device_idle_ns = total(device).count();
    for (std::size_t i = 0; i < phase_count; ++i) {
      figures.list[i].device_ns = times[i];
      *figures.device_idle_ns -= times[i];
    }
  }

  const FlopCount flops(trace);
  for (const HostSpan& span : activity.host) {
    if (!is_operator(span.role) || !trains(activity, span) || !contains(host, span.span.start)) continue;
    if (const auto count = flops.of(span)) {
      auto& sum = figures.list[place(phases.at(span.span.start))].flops;
      sum = sum.value_or(0) + *count;
    }
  }
  return figures;
}

}  // namespace takt
