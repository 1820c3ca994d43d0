// What HolisticTraceAnalysis asks of a trace, asked here: why a device is idle, which kernels take the time, what
// launches cost, how much of the communication is hidden, how long the queues are. Of the whole trace, not of steps.
//
// Times are exact to the nanosecond and of everything the trace has; HTA leaves out the last step and rounds to
// microseconds unless told not to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "training/steps/activity.h"

namespace takt {

/// Gaps between one piece of work and the next on a stream. HTA's rules: the host was late if the next launch began
/// after the work before was done; otherwise a gap below 30 µs is what a device takes between kernels.
struct StreamIdle {
  RowId row{};
  Nanoseconds host_wait{}, kernel_wait{}, other{};
};
std::vector<StreamIdle> stream_idle(const Activity& activity);

/// Work of one name.
struct KernelTotal {
  StringId name{};
  Role role{};
  std::int64_t count = 0;
  Nanoseconds total{}, longest{};
};
std::vector<KernelTotal> kernel_totals(const Activity& activity);  ///< by total, the longest first

/// Launches by the call that made them.
struct LaunchTotal {
  StringId call{};
  std::int64_t count = 0;
  std::int64_t short_kernels = 0;        ///< done sooner than the call took
  Nanoseconds calls{}, work{}, delay{};  ///< delay: from the call's end to the work's start, where that is later
};
std::vector<LaunchTotal> launch_totals(const Activity& activity);

/// Communication of all devices together.
struct CommunicationOverlap {
  Nanoseconds communication{}, hidden{};  ///< hidden: a kernel computes meanwhile
};
std::optional<CommunicationOverlap> communication_overlap(const Activity& activity);  ///< nullopt: there is none

/// Work of a stream that was launched and not yet begun.
struct StreamQueue {
  RowId row{};
  std::int64_t longest = 0;
  double mean = 0;  ///< over the time from the stream's first launch to its last start
};
std::vector<StreamQueue> stream_queues(const Activity& activity);

}  // namespace takt
