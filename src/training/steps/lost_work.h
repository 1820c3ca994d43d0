// Work that the program gave a device and that is not in the trace: profilers lose some of it, or all.
#pragma once

#include <unordered_set>

#include "training/steps/steps.h"

namespace takt {

/// A program that launches kernels, and none is in the trace: copies alone would show a device that idles. Drops them.
void drop_lonely_copies(const Trace& trace, Activity& activity);

/// Names of calls that launch work, some of which is in the trace: of others (a driver's beside those of the runtime,
/// functions of the host) nothing is missing.
std::unordered_set<StringId> names_with_work(const Activity& activity);

/// The part, 0 to 1, of the calls in the steps whose work is missing.
double lost_share(const Activity& activity, const Steps& steps);

}  // namespace takt
