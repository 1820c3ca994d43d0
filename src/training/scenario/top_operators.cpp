#include "training/scenario/top_operators.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "training/steps/activity.h"

namespace takt {
namespace {

using Owners = std::unordered_map<std::int64_t, StringId>;  // correlation: the operator that launched

/// Spans come by start, so the operators that are open on a row are a stack.
Owners owners_of_launches(const Activity& activity) {
  std::map<RowId, std::vector<const HostSpan*>> open;
  Owners owners;
  for (const HostSpan& span : activity.host) {
    auto& stack = open[span.row];
    while (!stack.empty() && stack.back()->span.end <= span.span.start) stack.pop_back();
    if (is_operator(span.role)) stack.push_back(&span);
    if (is_call(span.role) && span.correlation != 0 && !stack.empty())
      owners.emplace(span.correlation, stack.back()->name);
  }
  return owners;
}

}  // namespace

OperatorTimes operator_times(const Trace& trace) {
  const Activity activity = activity_of(trace);
  OperatorTimes times;
  times.is_of_device = activity.has_device();
  std::map<StringId, OperatorTime> by_name;
  for (const HostSpan& span : activity.host) {
    if (!is_operator(span.role) || !activity.trains[static_cast<std::size_t>(span.row)]) continue;
    OperatorTime& one = by_name[span.name];
    ++one.calls;
    if (!times.is_of_device) one.self_ns += span.self_ns;
  }
  if (times.is_of_device) {
    const Owners owners = owners_of_launches(activity);
    for (const DeviceSpan& work : activity.device) {
      const auto owner = owners.find(work.correlation);
      if (owner != owners.end()) by_name[owner->second].self_ns += work.span.end - work.span.start;
    }
  }
  for (auto& [name, one] : by_name) {
    if (one.self_ns <= 0) continue;
    one.name = trace.text(name);
    times.total_ns += one.self_ns;
    times.list.push_back(std::move(one));
  }
  std::sort(times.list.begin(), times.list.end(), [](const OperatorTime& a, const OperatorTime& b) {
    return a.self_ns != b.self_ns ? a.self_ns > b.self_ns : a.name < b.name;
  });
  return times;
}

}  // namespace takt
