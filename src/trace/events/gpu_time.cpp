#include "trace/events/gpu_time.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/basics/text.h"
#include "trace/events/device_categories.h"
#include "trace/events/near_times.h"
#include "trace/events/rank_names.h"

namespace takt {
namespace {

struct DeviceEvents {
  std::vector<TimeInterval> compute, other;
};

/// A number that a process gives to a device: every rank calls its first one 0. Numbers in their order, texts after
/// them, and the processes of one number as the trace has them.
struct DeviceKey {
  std::int64_t number = 0;
  std::string text;
  ProcessId process{};
  auto operator<=>(const DeviceKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

DeviceKey device_of(const Trace& trace, const TraceEvent& event) {
  constexpr std::int64_t last = INT64_MAX;
  const ProcessId process = trace.rows()[static_cast<std::size_t>(event.row)].process;
  for (const TraceArg arg : trace.args(event)) {
    if (trace.text(arg.key) != "device") continue;
    if (const auto* number = std::get_if<std::int64_t>(&arg.value)) return {*number, std::to_string(*number), process};
    if (const auto* text = std::get_if<StringId>(&arg.value)) return {last, trace.text(*text), process};
  }
  const std::uint32_t pid = trace.processes()[static_cast<std::size_t>(process)].pid;
  return {pid, std::to_string(pid), process};
}

/// What a reader knows the devices by: their numbers, and where these do not tell them apart, or several ranks are in
/// the trace, whose they are: "0 (rank 1: python)".
class DeviceNames {
 public:
  DeviceNames(const Trace& trace, const std::map<DeviceKey, DeviceEvents>& devices) : trace_(trace) {
    std::set<std::string> numbers;
    std::set<std::int64_t> ranks;
    for (const auto& [key, events] : devices) {
      const std::string& process = process_of(key).name;
      ++same_name_[process];
      if (const auto rank = rank_in_name(process)) ranks.insert(*rank);
      if (!numbers.insert(key.text).second) numbers_tell_ = false;
    }
    if (ranks.size() > 1) numbers_tell_ = false;
  }

  std::string of(const DeviceKey& key) const {
    if (numbers_tell_) return key.text;
    const TraceProcess& process = process_of(key);
    const std::string number = "process " + std::to_string(process.pid);
    if (process.name.empty()) return key.text + " (" + number + ")";
    return key.text + " (" + process.name + (same_name_.at(process.name) > 1 ? ", " + number : "") + ")";
  }

 private:
  const TraceProcess& process_of(const DeviceKey& key) const {
    return trace_.processes()[static_cast<std::size_t>(key.process)];
  }

  const Trace& trace_;
  std::map<std::string, int> same_name_;
  bool numbers_tell_ = true;
};

/// What kernels are called, in lower case, that move data between devices: libraries of the vendors (NCCL, RCCL,
/// oneCCL, HCCL, MSCCL), of experts' exchange (DeepEP) and of shared memory, and the all-reduces of inference engines.
constexpr std::string_view communicating_names[] = {"nccl",
                                                    "rccl",
                                                    "oneccl",
                                                    "hccl",
                                                    "msccl",
                                                    "deep_ep::",
                                                    "nvshmem",
                                                    "rocshmem",
                                                    "cross_device",
                                                    "quick_reduce",
                                                    "quickreduce",
                                                    "multimem_",
                                                    "all_reduce_kernel",
                                                    "allreduce_kernel",
                                                    "allreducekernel",
                                                    "one_shot_all_reduce",
                                                    "two_shot_all_reduce",
                                                    "all_gather_kernel",
                                                    "allgather_kernel",
                                                    "allgatherkernel",
                                                    "reduce_scatter_kernel",
                                                    "reducescatter_kernel",
                                                    "all_to_all_kernel",
                                                    "alltoall_kernel"};

bool communicates_by_name(std::string_view name) {
  const std::string word = lower_case(name);
  return std::any_of(std::begin(communicating_names), std::end(communicating_names),
                     [&](std::string_view part) { return word.find(part) != word.npos; });
}

GpuWork work_of_texts(std::string_view category, std::string_view name) {
  const std::string kind = lower_case(category);
  if (kind == "gpu_memcpy" || kind == "gpu_memset" || kind == "memcpy" || kind == "memset") return GpuWork::memory;
  if (kind != "kernel") return GpuWork::none;
  if (name.starts_with("Memcpy") || name.starts_with("Memset")) return GpuWork::memory;
  return communicates_by_name(name) ? GpuWork::communication : GpuWork::compute;
}

}  // namespace

GpuWork gpu_work(std::string_view category, std::string_view name) { return work_of_texts(category, name); }

GpuWork gpu_work(const Trace& trace, const TraceEvent& event) {
  return work_of_texts(trace.text(event.category), trace.text(event.name));
}

std::vector<GpuTime> gpu_times(const Trace& trace) {
  std::map<DeviceKey, DeviceEvents> devices;
  DeviceCategories categories(trace);
  std::unordered_map<std::uint64_t, bool> computing;  // by category and name: texts are compared once
  for (const TraceEvent& event : trace.events()) {
    if (categories.of(event) != DevicePart::work) continue;
    DeviceEvents& device = devices[device_of(trace, event)];
    const auto key = static_cast<std::uint64_t>(event.category) << 32 | static_cast<std::uint64_t>(event.name);
    const auto [known_kind, is_new] = computing.try_emplace(key, false);
    if (is_new) known_kind->second = gpu_work(trace, event) == GpuWork::compute;
    const bool computes = known_kind->second;
    (computes ? device.compute : device.other).push_back({event.start_ns, event.start_ns + event.duration_ns});
  }
  const DeviceNames names(trace, devices);
  std::vector<GpuTime> times;
  for (auto& [key, device] : devices) {
    const NearTimes near = near_starts(device.compute, device.other);
    const auto lies_off = [&](const TimeInterval& span) { return !near.has(span.start); };
    std::erase_if(device.compute, lies_off);
    std::erase_if(device.other, lies_off);
    GpuTime& time = times.emplace_back();
    time.device = names.of(key);
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
