// What the GPU did in an inference, put on the operators that asked for it.
//
// On a GPU the host only asks: it goes on to the next operator while the GPU works on the last ones. An operator's time
// is then that of the kernels, copies and fills that were asked for while the host was in it. Where two of them overlap
// on the GPU, or the GPU works while the host computes an operator itself, each moment counts once, for what began
// first; so the operators of an inference and what the GPU waited for add up to it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/basics/units.h"
#include "model/runtime/gpu_activity.h"

namespace takt::ort {

/// An operator of one inference as the host went through it.
struct HostSpan {
  Nanoseconds start{}, end{};
  std::optional<std::size_t> within = {};  ///< the operator around it; a list names it before
  bool on_host = false;  ///< the host computed it itself: its own time counts, less that of operators within
};

struct DeviceTime {
  Nanoseconds start{};  ///< of the first; where there was nothing, of the host's span
  Nanoseconds own{};    ///< without operators within
  bool any = false;     ///< the GPU did something
};

constexpr std::size_t activity_kinds = 5;

struct DeviceTimes {
  std::vector<DeviceTime> spans;                    ///< as the list that was given
  std::array<DeviceTime, activity_kinds> others{};  ///< what no operator asked for, by GpuActivity::Kind
};

/// `gpu` in the order of its start, by the clock of the spans.
DeviceTimes device_times(const std::vector<HostSpan>& spans, const std::vector<GpuActivity>& gpu);

}  // namespace takt::ort
