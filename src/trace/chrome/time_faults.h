// Times that a trace's file has and that cannot be right: what no importer says, and what makes every sum wrong.
#pragma once

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

}  // namespace takt::chrome
