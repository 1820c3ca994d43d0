// When executions of a run start and end, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flow/simulate.h"

namespace takt {

struct StartEndEvent {
  std::int64_t time = 0;  ///< ns
  bool start = false;
  std::size_t execution = 0;
};

/// Returns the start and the end of every device execution of non-zero length, sorted by time. At equal times ends
/// precede starts.
std::vector<StartEndEvent> start_end_events(const std::vector<ExecutionRecord>& executions);

}  // namespace takt
