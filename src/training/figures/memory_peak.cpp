#include "training/figures/memory_peak.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "training/figures/around.h"

namespace takt {
namespace {

using Device = std::pair<std::int64_t, std::int64_t>;  // its type, its number

std::string name_of(const Device& device) {
  return device.first == 0 ? std::string("host") : "device " + std::to_string(device.second);
}

/// The moments of one device, with the operator around each that the program called.
struct DeviceMemory {
  std::vector<const MemoryMoment*> moments;
  std::vector<std::optional<StringId>> takers;
};

std::map<Device, DeviceMemory> by_device(const Activity& activity) {
  std::vector<RowMoment> places;
  places.reserve(activity.memory.size());
  for (const MemoryMoment& moment : activity.memory) places.push_back({moment.row, moment.time});
  const auto takers = innermost_around(activity.host, places,
                                       [](const HostSpan& span) { return span.is_top && is_operator(span.role); });
  std::map<Device, DeviceMemory> devices;
  for (std::size_t i = 0; i < takers.size(); ++i) {
    const MemoryMoment& moment = activity.memory[i];
    const std::int64_t type = moment.device.value_or(0);
    DeviceMemory& one = devices[{type, type == 0 ? 0 : moment.number}];
    one.moments.push_back(&moment);
    one.takers.push_back(takers[i] < 0 ? std::nullopt
                                       : std::optional(activity.host[static_cast<std::size_t>(takers[i])].name));
  }
  return devices;
}

/// In use after each moment. The recorded total tells where it begins; without one it begins at 0.
std::vector<std::int64_t> levels(const DeviceMemory& memory) {
  std::int64_t level = 0;
  for (std::size_t i = 0; i < memory.moments.size(); ++i) {
    if (!memory.moments[i]->total) continue;
    level = *memory.moments[i]->total;
    for (std::size_t j = 0; j <= i; ++j) level -= memory.moments[j]->bytes;
    break;
  }
  std::vector<std::int64_t> all;
  all.reserve(memory.moments.size());
  for (const MemoryMoment* moment : memory.moments) {
    level = moment->total ? *moment->total : level + moment->bytes;
    all.push_back(level);
  }
  return all;
}

/// What was taken up to the moment and not given back, by its taker. What the addresses do not tell is one entry more.
std::vector<HeldMemory> held_at(const DeviceMemory& memory, std::size_t last, std::int64_t level,
                                const PhaseTimes& phases) {
  std::unordered_map<std::int64_t, std::size_t> in_use;  // by address: the moment that took it
  for (std::size_t i = 0; i <= last; ++i) {
    const MemoryMoment& moment = *memory.moments[i];
    if (!moment.address) continue;
    if (moment.bytes > 0)
      in_use[*moment.address] = i;
    else
      in_use.erase(*moment.address);
  }
  std::map<std::pair<std::optional<Phase>, std::optional<StringId>>, HeldMemory> sums;
  std::int64_t rest = level;
  for (const auto& [address, taken] : in_use) {
    const MemoryMoment& moment = *memory.moments[taken];
    const Phase phase = phases.at(moment.time);
    HeldMemory& sum = sums[{phase, memory.takers[taken]}];
    sum.phase = phase, sum.name = memory.takers[taken];
    ++sum.blocks;
    sum.bytes += moment.bytes;
    rest -= moment.bytes;
  }
  std::vector<HeldMemory> held;
  for (const auto& [key, sum] : sums) held.push_back(sum);
  if (rest != 0) held.push_back({std::nullopt, std::nullopt, 0, rest});
  std::stable_sort(held.begin(), held.end(),
                   [](const HeldMemory& a, const HeldMemory& b) { return a.bytes > b.bytes; });
  return held;
}

}  // namespace

std::vector<MemoryPeak> memory_peaks(const Trace& trace, const Activity& activity, const Steps& steps) {
  if (activity.memory.empty()) return {};
  const PhaseTimes phases = phase_times(trace, activity, steps);
  std::int64_t first_event = activity.memory.front().time;
  for (const TraceEvent& event : trace.events()) first_event = std::min(first_event, event.start_ns);
  std::vector<MemoryPeak> peaks;
  for (const auto& [device, memory] : by_device(activity)) {
    const std::vector<std::int64_t> level = levels(memory);
    const auto top = std::max_element(level.begin(), level.end());
    const auto last = static_cast<std::size_t>(top - level.begin());
    MemoryPeak& peak = peaks.emplace_back();
    peak.device = name_of(device);
    peak.bytes = *top;
    peak.is_above_start = std::none_of(memory.moments.begin(), memory.moments.end(),
                                       [](const MemoryMoment* moment) { return moment->total.has_value(); });
    const std::int64_t reached = memory.moments[last]->time;
    peak.time = reached - first_event;
    for (const TrainingStep& step : steps.list) {
      if (step.host.start <= reached && reached < step.host.end) peak.step = step.number;
    }
    peak.grown = level.back() - (level.front() - memory.moments.front()->bytes);
    peak.held = held_at(memory, last, *top, phases);
  }
  return peaks;
}

}  // namespace takt
