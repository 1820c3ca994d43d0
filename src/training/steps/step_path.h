// The critical path of a training: the chain of work that had to be one after the other, walked back from its end.
//
// From the end of the last step the walk goes back along the program until a call that waited for a device; from there
// to the work that it waited for; from work that began when work before it was done to that, and from work that began
// as soon as it was launched to the launch, where it is the program again. Every stretch of time is in one link, so the
// links of a step add up to it. A program that runs ahead of its device without waiting is off the path, and the device
// on it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "training/steps/steps.h"

namespace takt {

enum class PathLink : std::uint8_t {
  kernel,
  memory_copy,
  communication,
  launch_delay,  ///< from a launch to the start of its work, the device being free
  device_gap,    ///< between two pieces of work of a stream
  wait_return,   ///< from the end of the work to the return of the call that waited for it
  data_wait,
  launch,            ///< calls of the runtime
  scalar_read,       ///< operators that read a value
  tiny_operators,    ///< operators so short that calling them is what takes the time, see operator_kinds.h
  memory_operators,  ///< operators that take memory and do little else
  host_compute,      ///< all other operators
  host_other,        ///< the program's own code
};
constexpr std::size_t path_link_count = 13;
std::string_view name_of(PathLink link);

/// Nanoseconds on the path by step; each adds up to the step. O(n log n).
std::vector<std::array<std::int64_t, path_link_count>> step_paths(const Activity& activity, const Steps& steps);

}  // namespace takt
