// Which operators of a training take the time themselves, without those that they call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/events/trace.h"

namespace takt {

struct OperatorTime {
  std::string name;
  std::int64_t calls = 0;
  std::int64_t self_ns = 0;  ///< of the device's work that it launched itself; without a device, of the processor
};

struct OperatorTimes {
  bool is_of_device = false;
  std::int64_t total_ns = 0;       ///< of all operators together
  std::vector<OperatorTime> list;  ///< most expensive first; without operators that took no time
};

/// Returns the self time of each operator on the training threads. Device work belongs to the innermost operator around
/// the call that launched it. O(n log n) in the number of events.
OperatorTimes operator_times(const Trace& trace);

}  // namespace takt
