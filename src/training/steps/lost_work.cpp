#include "training/steps/lost_work.h"

#include <algorithm>
#include <iterator>

#include "training/steps/call_names.h"

namespace takt {
namespace {

std::unordered_set<std::int64_t> numbers_of_work(const Activity& activity) {
  std::unordered_set<std::int64_t> numbers;
  for (const DeviceSpan& work : activity.device)
    if (work.correlation != 0) numbers.insert(work.correlation);
  return numbers;
}

bool launches(const HostSpan& span) { return span.role == Role::launch && span.correlation != 0; }

}  // namespace

void drop_lonely_copies(const Trace& trace, Activity& activity) {
  const bool has_kernels = std::any_of(activity.device.begin(), activity.device.end(), [](const DeviceSpan& work) {
    return work.role == Role::kernel || work.role == Role::communication;
  });
  if (has_kernels) return;
  const bool launches_kernels = std::any_of(activity.host.begin(), activity.host.end(), [&](const HostSpan& span) {
    return launches(span) && !gives_a_copy(trace.text(span.name));
  });
  if (launches_kernels) activity.device.clear();
}

std::unordered_set<StringId> names_with_work(const Activity& activity) {
  const auto numbers = numbers_of_work(activity);
  std::unordered_set<StringId> names;
  for (const HostSpan& span : activity.host)
    if (launches(span) && numbers.contains(span.correlation)) names.insert(span.name);
  return names;
}

double lost_share(const Activity& activity, const Steps& steps) {
  const auto numbers = numbers_of_work(activity);
  const auto names = names_with_work(activity);
  std::size_t calls = 0, lost = 0;
  for (const HostSpan& span : activity.host) {
    if (!launches(span) || !names.contains(span.name)) continue;
    const auto after = std::upper_bound(steps.list.begin(), steps.list.end(), span.span.start,
                                        [](std::int64_t t, const TrainingStep& step) { return t < step.host.start; });
    if (after == steps.list.begin() || span.span.start >= std::prev(after)->host.end) continue;
    ++calls;
    if (!numbers.contains(span.correlation)) ++lost;
  }
  return calls == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(calls);
}

}  // namespace takt
