// What operators and spans of the framework stand for where their names alone would mislead: the compiler of networks
// at work, and a loader that starts its workers.
#pragma once

#include "training/steps/activity.h"

namespace takt {

/// Takes out the operators inside spans of the compiler: it runs the network on tensors without content, and computes
/// nothing. The spans are in Activity::named, so that what the program then did has their name. O(n log n).
void drop_compiled_operators(Activity& activity);

/// Adds a wait for data from the draw of an epoch's seed to the first batch of worker processes: meanwhile the workers
/// are started. What the loader's sampler draws belongs to it. O(n).
/// A call of the runtime in which the profiler was at work began, for the device, when that was over.
void leave_out_profiling(Activity& activity);

void add_starts_of_workers(const Trace& trace, Activity& activity);

}  // namespace takt
