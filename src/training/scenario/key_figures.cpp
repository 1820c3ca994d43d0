#include "training/scenario/key_figures.h"

#include "training/steps/activity.h"
#include "training/steps/breakdown.h"
#include "training/steps/steps.h"

namespace takt {

KeyFigures key_figures(const Trace& trace) {
  const Activity activity = activity_of(trace);
  const Steps steps = find_steps(activity);
  KeyFigures figures;
  figures.steps = static_cast<std::int64_t>(steps.list.size());
  if (steps.list.empty()) return figures;
  const auto mean = [&](std::int64_t sum) { return static_cast<double>(sum) / static_cast<double>(figures.steps); };

  std::int64_t total = 0, operators = 0, bytes = 0;
  for (const TrainingStep& step : steps.list) total += step.span.end - step.span.start;
  for (const HostSpan& span : activity.host) {
    const bool counts = is_operator(span.role) && activity.trains[static_cast<std::size_t>(span.row)];
    if (counts && step_at(steps, span.span.start)) ++operators;
  }
  for (const MemoryMoment& moment : activity.memory) {
    if (moment.bytes > 0 && step_at(steps, moment.time)) bytes += moment.bytes;
  }
  const Intervals waiting = host_cover(activity, {Role::data_wait});
  if (!waiting.empty() && total > 0)
    figures.data_wait_share = static_cast<double>(sum_of(by_step(waiting, steps))) / static_cast<double>(total);
  if (operators > 0) {
    figures.operators_per_step = mean(operators);
    figures.reads_per_step = mean(sum_of(reads_by_step(activity, steps)));
  }
  if (!activity.memory.empty()) figures.bytes_per_step = mean(bytes);
  return figures;
}

}  // namespace takt
