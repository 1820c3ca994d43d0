#include "trace/gpu_time.h"

#include <map>
#include <optional>
#include <utility>

#include "core/text.h"

namespace takt {
namespace {

struct DeviceEvents {
  std::vector<TimeInterval> compute, other;
};

/// Numbers in the order of numbers, texts after them.
using DeviceKey = std::pair<std::int64_t, std::string>;

DeviceKey device_of(const Trace& trace, const TraceEvent& event) {
  constexpr std::int64_t last = INT64_MAX;
  for (const TraceArg arg : trace.args(event)) {
    if (trace.text(arg.key) != "device") continue;
    if (const auto* number = std::get_if<std::int64_t>(&arg.value)) return {*number, std::to_string(*number)};
    if (const auto* text = std::get_if<StringId>(&arg.value)) return {last, trace.text(*text)};
  }
  const TraceRow& row = trace.rows()[static_cast<std::size_t>(event.row)];
  const std::uint32_t pid = trace.processes()[static_cast<std::size_t>(row.process)].pid;
  return {pid, std::to_string(pid)};
}

GpuWork work_of_texts(std::string_view category, std::string_view name) {
  const std::string kind = lower_case(category);
  if (kind == "gpu_memcpy" || kind == "gpu_memset" || kind == "memcpy" || kind == "memset") return GpuWork::memory;
  if (kind != "kernel") return GpuWork::none;
  if (name.starts_with("Memcpy") || name.starts_with("Memset")) return GpuWork::memory;
  const bool communicates = name.find("nccl") != name.npos || name.find("rccl") != name.npos;
  return communicates ? GpuWork::communication : GpuWork::compute;
}

}  // namespace

GpuWork gpu_work(std::string_view category, std::string_view name) { return work_of_texts(category, name); }

GpuWork gpu_work(const Trace& trace, const TraceEvent& event) {
  return work_of_texts(trace.text(event.category), trace.text(event.name));
}

std::vector<GpuTime> gpu_times(const Trace& trace) {
  std::map<DeviceKey, DeviceEvents> devices;
  std::vector<std::optional<bool>> is_device(trace.strings().size());  // by category: texts are compared once
  for (const TraceEvent& event : trace.events()) {
    auto& known = is_device[static_cast<std::size_t>(event.category)];
    if (!known) known = work_of_texts(trace.text(event.category), "") != GpuWork::none;
    if (!*known) continue;
    DeviceEvents& device = devices[device_of(trace, event)];
    const bool computes = gpu_work(trace, event) == GpuWork::compute;
    (computes ? device.compute : device.other).push_back({event.start_ns, event.start_ns + event.duration_ns});
  }
  std::vector<GpuTime> times;
  for (auto& [key, device] : devices) {
    GpuTime& time = times.emplace_back();
    time.device = key.second;
    time.events = static_cast<std::int64_t>(device.compute.size() + device.other.size());
    const Intervals compute = unite(std::move(device.compute));
    const Intervals busy = unite(compute, unite(std::move(device.other)));
    const TimeInterval window = hull(busy);
    time.total = Nanoseconds(window.end - window.start);
    time.compute = total(compute);
    time.non_compute = total(busy) - time.compute;
    time.idle = time.total - total(busy);
  }
  return times;
}

}  // namespace takt
