// Times that a trace's file has and that cannot be right: what no importer says, and what makes every sum wrong.
#pragma once

#include <cstdint>
#include <span>

#include "trace/events/faults.h"
#include "trace/events/trace.h"

namespace takt::chrome {

/// Lists events whose time was never set or lies far from all others', and work of a device that seems to run over
/// what came after it on its own stream. O(n).
void find_time_faults(const Trace& trace, FaultList& faults);

/// Lists work of a device that begins before the call that launched it, and launches without work where they are more
/// than a tenth of all. Of several programs that give their launches the same numbers nothing is said. Costs a table of
/// all launches.
void find_launch_faults(const Trace& trace, FaultList& faults);

/// Lists spans that repeat another of their row in everything. Without arguments, brief ones may be calls of a function
/// by itself, so nothing is said of them. `order`: positions of the events by start, of equal starts the longest first.
void find_repeated_events(const Trace& trace, std::span<const std::uint32_t> order, FaultList& faults);

}  // namespace takt::chrome
