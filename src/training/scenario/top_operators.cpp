#include "training/scenario/top_operators.h"

#include <algorithm>

#include "training/figures/operators.h"

namespace takt {

OperatorTimes operator_times(const Trace& trace) {
  const Activity activity = activity_of(trace);
  OperatorTimes times;
  times.is_of_device = activity.has_device();
  for (const OperatorFigure& figure : operator_figures(trace, activity)) {
    const std::int64_t self_ns = figure.device_ns.value_or(figure.self_ns);
    if (!figure.name || self_ns <= 0) continue;
    times.list.push_back({trace.text(*figure.name), figure.calls, self_ns});
    times.total_ns += self_ns;
  }
  std::sort(times.list.begin(), times.list.end(), [](const OperatorTime& a, const OperatorTime& b) {
    return a.self_ns != b.self_ns ? a.self_ns > b.self_ns : a.name < b.name;
  });
  return times;
}

}  // namespace takt
