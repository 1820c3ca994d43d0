#include "training/figures/operators.h"

#include <algorithm>
#include <map>

#include "training/figures/around.h"
#include "training/figures/flops.h"

namespace takt {

std::vector<OperatorFigure> operator_figures(const Trace& trace, const Activity& activity) {
  std::map<std::optional<StringId>, OperatorFigure> by_name;
  const auto figure_of = [&](std::optional<StringId> name) -> OperatorFigure& {
    OperatorFigure& one = by_name[name];
    one.name = name;
    if (activity.has_device() && !one.device_ns) one.device_ns = 0;
    return one;
  };
  const FlopCount flops(trace);
  std::vector<bool> is_counted(activity.host.size());
  for (std::size_t i = 0; i < activity.host.size(); ++i) {
    const HostSpan& span = activity.host[i];
    if (!is_operator(span.role) || !activity.trains[static_cast<std::size_t>(span.row)]) continue;
    OperatorFigure& one = figure_of(span.name);
    ++one.calls;
    one.self_ns += span.self_ns;
    const auto count = flops.of(span);
    if (!count) continue;
    is_counted[i] = true;
    one.flops = one.flops.value_or(0) + *count;
    if (!activity.has_device()) one.flops_ns += span.span.end - span.span.start;
  }
  const std::vector<Launch> launches = launches_of(activity);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const std::int64_t took = activity.device[i].span.end - activity.device[i].span.start;
    const std::int32_t op = launches[i].op;
    OperatorFigure& own =
        figure_of(op < 0 ? std::nullopt : std::optional(activity.host[static_cast<std::size_t>(op)].name));
    own.device_ns = *own.device_ns + took;
    const std::int32_t whose = outwards(activity, op, [&](const HostSpan& span) {
      return is_counted[static_cast<std::size_t>(&span - activity.host.data())];
    });
    if (whose >= 0) figure_of(activity.host[static_cast<std::size_t>(whose)].name).flops_ns += took;
  }
  std::vector<OperatorFigure> all;
  for (auto& [name, one] : by_name) all.push_back(one);
  std::stable_sort(all.begin(), all.end(), [](const OperatorFigure& a, const OperatorFigure& b) {
    const std::int64_t x = a.device_ns.value_or(0), y = b.device_ns.value_or(0);
    return x != y ? x > y : a.self_ns > b.self_ns;
  });
  return all;
}

}  // namespace takt
