// What held memory when most of it was in use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "training/figures/phases.h"

namespace takt {

/// Blocks that were in use at the peak and came from one operator of one phase.
struct HeldMemory {
  std::optional<Phase> phase;    ///< in which it was taken; nullopt: before the trace began, or the trace does not tell
  std::optional<StringId> name;  ///< of the operator that the program called; nullopt: it called none
  std::int64_t blocks = 0;       ///< 0: not known
  std::int64_t bytes = 0;
};

struct MemoryPeak {
  std::string device;                ///< "host", "device 0"
  std::int64_t bytes = 0;            ///< of all that is in use; without a recorded total, above what was when it began
  bool is_above_start = false;       ///< the trace does not tell how much was in use when it began
  std::int64_t time = 0;             ///< when it was reached first, ns since the trace's first event
  std::optional<std::int64_t> step;  ///< the number of the step in which it was
  std::int64_t grown = 0;            ///< bytes in use at the trace's end above those at its beginning
  std::vector<HeldMemory> held;      ///< largest first; adds up to `bytes`
};

/// By device, the host first. Empty: the trace has no memory events.
std::vector<MemoryPeak> memory_peaks(const Trace& trace, const Activity& activity, const Steps& steps);

}  // namespace takt
