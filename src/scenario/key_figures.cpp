#include "scenario/key_figures.h"

#include <algorithm>

#include "training/activity.h"
#include "training/breakdown.h"
#include "training/steps.h"

namespace takt {
namespace {

class StepCounts {
 public:
  explicit StepCounts(const Steps& steps) : steps_(steps) {}

  bool has(std::int64_t time) const {
    const auto after = std::upper_bound(steps_.list.begin(), steps_.list.end(), time,
                                        [](std::int64_t t, const TrainingStep& step) { return t < step.span.start; });
    return after != steps_.list.begin() && time < std::prev(after)->span.end;
  }
  double mean(std::int64_t sum) const { return static_cast<double>(sum) / static_cast<double>(steps_.list.size()); }

 private:
  const Steps& steps_;
};

}  // namespace

KeyFigures key_figures(const Trace& trace) {
  const Activity activity = activity_of(trace);
  const Steps steps = find_steps(activity);
  KeyFigures figures;
  figures.steps = static_cast<std::int64_t>(steps.list.size());
  if (steps.list.empty()) return figures;
  const StepCounts in_steps(steps);

  std::int64_t total = 0, operators = 0, reads = 0, read_end = INT64_MIN, bytes = 0;
  for (const TrainingStep& step : steps.list) total += step.span.end - step.span.start;
  for (const HostSpan& span : activity.host) {
    if (!is_operator(span.role) || !activity.trains[static_cast<std::size_t>(span.row)]) continue;
    if (!in_steps.has(span.span.start)) continue;
    ++operators;
    if (span.role != Role::scalar_read || span.span.start < read_end) continue;
    read_end = span.span.end;  // item() calls _local_scalar_dense(): the pair counts once
    ++reads;
  }
  for (const MemoryMoment& moment : activity.memory) {
    if (moment.bytes > 0 && in_steps.has(moment.time)) bytes += moment.bytes;
  }
  std::int64_t waits = 0;
  const Intervals waiting = host_cover(activity, {Role::data_wait});
  for (const std::int64_t each : by_step(waiting, steps)) waits += each;

  if (!waiting.empty() && total > 0) figures.data_wait_share = static_cast<double>(waits) / static_cast<double>(total);
  if (operators > 0) {
    figures.operators_per_step = in_steps.mean(operators);
    figures.reads_per_step = in_steps.mean(reads);
  }
  if (!activity.memory.empty()) figures.bytes_per_step = in_steps.mean(bytes);
  return figures;
}

}  // namespace takt
