#include "training/diagnosis/blocking_launches.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace takt {
namespace {

/// What calls launched, by their numbers: from the first kernel to the end of the last one.
std::unordered_map<std::int64_t, TimeInterval> launched_kernels(const Activity& activity) {
  std::unordered_map<std::int64_t, TimeInterval> kernels;
  for (const DeviceSpan& work : activity.device) {
    if (work.role != Role::kernel || work.correlation == 0) continue;
    const auto [found, is_new] = kernels.try_emplace(work.correlation, work.span);
    if (!is_new) found->second.end = std::max(found->second.end, work.span.end);
  }
  return kernels;
}

}  // namespace

Intervals blocking_launches(const Activity& activity) {
  if (activity.is_on_host) return {};  // small functions run in the thread that calls them
  constexpr std::int64_t longer_than_calls_ns = 20'000;
  constexpr double nearly_all = 0.9;
  constexpr int fewest = 5;
  const auto kernels = launched_kernels(activity);
  std::vector<TimeInterval> waits;
  int long_ones = 0, waited_for = 0;
  for (const HostSpan& call : activity.host) {
    if (call.role != Role::launch || !activity.trains[static_cast<std::size_t>(call.row)]) continue;
    const auto kernel = kernels.find(call.correlation);
    if (kernel == kernels.end()) continue;
    const TimeInterval work = kernel->second;
    const bool waits_for_it = call.span.end >= work.end && call.span.start <= work.start;
    if (work.end - work.start >= longer_than_calls_ns) ++long_ones, waited_for += waits_for_it ? 1 : 0;
    if (waits_for_it) waits.push_back({work.start, call.span.end});
  }
  if (long_ones < fewest || waited_for < nearly_all * long_ones) return {};
  return unite(std::move(waits));
}

}  // namespace takt
