#include "training/figures/device_figures.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace takt {
namespace {

using Launches = std::unordered_map<std::int64_t, const HostSpan*>;

Launches launches_by_correlation(const Activity& activity) {
  Launches launches;
  for (const HostSpan& call : activity.host) {
    if (call.role == Role::launch && call.correlation != 0) launches[call.correlation] = &call;
  }
  return launches;
}

const HostSpan* launch_of(const Launches& launches, const DeviceSpan& work) {
  const auto found = launches.find(work.correlation);
  return found == launches.end() ? nullptr : found->second;
}

/// Work by row, each in the order of its start.
std::map<RowId, std::vector<const DeviceSpan*>> by_stream(const Activity& activity) {
  std::map<RowId, std::vector<const DeviceSpan*>> streams;
  for (const DeviceSpan& work : activity.device) streams[work.row].push_back(&work);
  return streams;
}

}  // namespace

std::vector<StreamIdle> stream_idle(const Activity& activity) {
  constexpr std::int64_t between_kernels_ns = 30'000;
  const Launches launches = launches_by_correlation(activity);
  std::vector<StreamIdle> all;
  for (const auto& [row, works] : by_stream(activity)) {
    StreamIdle& idle = all.emplace_back();
    idle.row = row;
    std::int64_t done = works.front()->span.end;
    for (const DeviceSpan* work : works) {
      const Nanoseconds gap(std::max<std::int64_t>(0, work->span.start - done));
      const HostSpan* launch = launch_of(launches, *work);
      if (launch != nullptr && launch->span.start > done)
        idle.host_wait += gap;
      else if (gap.count() < between_kernels_ns)
        idle.kernel_wait += gap;
      else
        idle.other += gap;
      done = std::max(done, work->span.end);
    }
  }
  return all;
}

std::vector<KernelTotal> kernel_totals(const Activity& activity) {
  std::map<std::pair<Role, StringId>, KernelTotal> totals;
  for (const DeviceSpan& work : activity.device) {
    KernelTotal& total = totals.try_emplace({work.role, work.name}, KernelTotal{work.name, work.role}).first->second;
    const Nanoseconds length(work.span.end - work.span.start);
    ++total.count;
    total.total += length;
    total.longest = std::max(total.longest, length);
  }
  std::vector<KernelTotal> all;
  for (const auto& [key, total] : totals) all.push_back(total);
  std::stable_sort(all.begin(), all.end(),
                   [](const KernelTotal& a, const KernelTotal& b) { return a.total > b.total; });
  return all;
}

std::vector<LaunchTotal> launch_totals(const Activity& activity) {
  const Launches launches = launches_by_correlation(activity);
  std::map<StringId, LaunchTotal> totals;
  for (const DeviceSpan& work : activity.device) {
    const HostSpan* const launch = launch_of(launches, work);
    if (launch == nullptr) continue;
    LaunchTotal& total = totals.try_emplace(launch->name, LaunchTotal{launch->name}).first->second;
    const Nanoseconds call(launch->span.end - launch->span.start), length(work.span.end - work.span.start);
    ++total.count;
    total.calls += call;
    total.work += length;
    total.delay += Nanoseconds(std::max<std::int64_t>(0, work.span.start - launch->span.end));
    if (length < call) ++total.short_kernels;
  }
  std::vector<LaunchTotal> all;
  for (const auto& [name, total] : totals) all.push_back(total);
  std::stable_sort(all.begin(), all.end(),
                   [](const LaunchTotal& a, const LaunchTotal& b) { return a.count > b.count; });
  return all;
}

std::optional<CommunicationOverlap> communication_overlap(const Activity& activity) {
  const Intervals communication = device_cover(activity, {Role::communication});
  if (communication.empty()) return std::nullopt;
  return CommunicationOverlap{total(communication),
                              total(intersect(communication, device_cover(activity, {Role::kernel})))};
}

std::vector<StreamQueue> stream_queues(const Activity& activity) {
  const Launches launches = launches_by_correlation(activity);
  std::vector<StreamQueue> all;
  for (const auto& [row, works] : by_stream(activity)) {
    struct Change {
      std::int64_t time = 0;
      int by = 0;
    };
    std::vector<Change> changes;
    for (const DeviceSpan* work : works) {
      const HostSpan* const launch = launch_of(launches, *work);
      if (launch == nullptr || launch->span.start > work->span.start) continue;
      changes.push_back({launch->span.start, 1});
      changes.push_back({work->span.start, -1});
    }
    if (changes.empty()) continue;
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.time != b.time ? a.time < b.time : a.by > b.by; });
    StreamQueue& queue = all.emplace_back();
    queue.row = row;
    std::int64_t waiting = 0;
    double area = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if (i > 0) area += static_cast<double>(waiting) * static_cast<double>(changes[i].time - changes[i - 1].time);
      waiting += changes[i].by;
      queue.longest = std::max(queue.longest, waiting);
    }
    const std::int64_t length = changes.back().time - changes.front().time;
    queue.mean = length == 0 ? 0 : area / static_cast<double>(length);
  }
  return all;
}

}  // namespace takt
