// One figure for each fault that a scenario plants, taken from the trace of any training.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/events/trace.h"

namespace takt {

/// Means over the steps of a trace; nullopt: the trace cannot tell.
struct KeyFigures {
  std::int64_t steps = 0;
  std::optional<double> data_wait_share;     ///< of the step's time, 0 to 1
  std::optional<double> reads_per_step;      ///< values read back to the host (item, nonzero), each once
  std::optional<double> operators_per_step;  ///< of the threads that train, those inside of others included
  std::optional<double> bytes_per_step;      ///< of memory taken, given back or not
};

/// O(n log n) in the events.
KeyFigures key_figures(const Trace& trace);

}  // namespace takt
