// Launches that return only when the kernel is done, as with CUDA_LAUNCH_BLOCKING=1: the program never gets ahead.
#pragma once

#include "training/steps/activity.h"

namespace takt {

/// When such calls stand still, from the start of their kernels on; empty: launches return at once, or the trace does
/// not tell. A kernel that is as short as its call says nothing, so long ones speak. O(n).
Intervals blocking_launches(const Activity& activity);

}  // namespace takt
