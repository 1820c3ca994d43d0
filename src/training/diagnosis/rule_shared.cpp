// A device that other programs use, too: work that was launched before does not begin, or kernels take far longer at
// some times than the same ones at others.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics/statistics.h"
#include "training/diagnosis/rule_words.h"

namespace takt {
namespace {

constexpr double least_lost_share = 0.10;

/// A pause may have other reasons: work that is not in the trace, a function of the program that a stream waits for,
/// launches that stand for all kernels of a function.
Intervals pauses_of_others(const TrainingCase& one) {
  constexpr double few = 0.02;
  if (one.activity.is_xla || one.steps.lost_share > few) return {};
  const bool has_functions = std::any_of(one.activity.host.begin(), one.activity.host.end(), [&](const HostSpan& call) {
    return is_call(call.role) && one.trace.text(call.name).find("HostFunc") != std::string::npos;
  });
  return has_functions ? Intervals{} : one.idle.queued;
}

/// Kernels that nothing runs beside on their device: only these say how long they take.
std::vector<const DeviceSpan*> lone_kernels(const std::vector<DeviceSpan>& device) {
  struct Last {
    const DeviceSpan* kernel = nullptr;  // nullptr: none that may be alone
    std::int64_t end = INT64_MIN;
  };
  std::map<std::int64_t, Last> devices;
  std::vector<const DeviceSpan*> alone;
  const auto close = [&](const Last& last) {
    if (last.kernel != nullptr) alone.push_back(last.kernel);
  };
  for (const DeviceSpan& work : device) {
    Last& last = devices[work.device];
    const bool touches = work.span.start < last.end;
    if (!touches) close(last);
    last.kernel = !touches && work.role == Role::kernel ? &work : nullptr;
    last.end = std::max(last.end, work.span.end);
  }
  for (const auto& [number, last] : devices) close(last);
  return alone;
}

struct Stretch {
  std::vector<std::int64_t> cost;  ///< by step: what kernels took more than at other times
  bool is_of_most = false;  ///< most kinds of kernels did, in most steps, while others there took as long as ever
};

/// Compares the n-th kernel of a name in a step with those of the other steps. A step in which all take longer has more
/// to compute, or a slower clock; and where few names differ, these depend on their data.
Stretch stretched_kernels(const TrainingCase& one) {
  constexpr std::size_t fewest_steps = 4;
  constexpr double shortest_ns = 20'000, far_longer = 1.5;
  const std::size_t steps = one.steps.list.size();
  Stretch stretch{std::vector<std::int64_t>(steps), false};
  if (steps < fewest_steps) return stretch;
  std::map<StringId, std::vector<std::vector<double>>> lengths;  // by name and step
  for (const DeviceSpan* kernel : lone_kernels(one.activity.device)) {
    const auto step = one.step_at(kernel->span.start);
    if (!step) continue;
    auto& of_name = lengths[kernel->name];
    of_name.resize(steps);
    of_name[*step].push_back(static_cast<double>(kernel->span.end - kernel->span.start));
  }
  struct Ratio {
    double ratio, usual;
    StringId name;
  };
  std::vector<std::vector<Ratio>> ratios(steps);
  std::set<StringId> names, stretched;
  for (const auto& [name, of_name] : lengths) {
    const std::size_t count = of_name.front().size();
    if (std::any_of(of_name.begin(), of_name.end(), [&](const auto& step) { return step.size() != count; })) continue;
    for (std::size_t turn = 0; turn < count; ++turn) {
      std::vector<double> alike;
      for (const auto& step : of_name) alike.push_back(step[turn]);
      const double usual = median(alike).value_or(0);
      if (usual < shortest_ns) continue;
      names.insert(name);
      for (std::size_t step = 0; step < steps; ++step) ratios[step].push_back({alike[step] / usual, usual, name});
    }
  }
  std::size_t steps_with = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<double> all;
    for (const Ratio& one_ratio : ratios[step]) all.push_back(one_ratio.ratio);
    const double pace = std::max(1.0, median(all).value_or(1));
    for (const auto& [ratio, usual, name] : ratios[step]) {
      if (ratio < far_longer * pace) continue;
      stretched.insert(name);
      stretch.cost[step] += static_cast<std::int64_t>((ratio - pace) * usual);
    }
    if (stretch.cost[step] > 0) ++steps_with;
  }
  stretch.is_of_most = names.size() > 1 && 2 * stretched.size() > names.size() && 2 * steps_with > steps;
  return stretch;
}

}  // namespace

RuleOutcome look_for_shared_device(const TrainingCase& one) {
  if (!one.activity.has_device()) return nothing_found();
  auto cost = by_step(pauses_of_others(one), one.steps);
  const std::int64_t paused = sum_of(cost);
  const Stretch stretch = stretched_kernels(one);
  const std::int64_t longer = stretch.is_of_most ? sum_of(stretch.cost) : 0;
  if (one.share(paused + longer) < least_lost_share) return nothing_found();
  if (longer > 0)
    for (std::size_t i = 0; i < cost.size(); ++i) cost[i] += stretch.cost[i];
  std::string evidence;
  if (paused > 0)
    evidence =
        fmt::format("work that was launched before does not begin for {} per step", time_text(one.per_step(paused)));
  if (longer > 0)
    evidence += fmt::format("{}most kinds of kernels take, now and then, far longer than in other steps: {} per step",
                            evidence.empty() ? "" : "; ", time_text(one.per_step(longer)));
  return found(TrainingCause::shared_device, std::move(cost), evidence,
               "Look for who else uses the device (nvidia-smi, rocm-smi): programs that share one take turns.");
}

}  // namespace takt
