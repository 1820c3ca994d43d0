// What a recorded run lost between one thing and the next, where the rules of flow/pipeline_flow.h would have gone on
// at once: scheduling, callbacks, hand-over. Zero everywhere in a run on the virtual clock.
#pragma once

#include <vector>

#include "base/basics/units.h"
#include "flow/flow_shape.h"
#include "flow/simulate.h"

namespace takt {

/// Per execution of the schedule: how much later it started than it could have (its batch was there, its replica free
/// and its device below its requests), plus, for the one that completes a batch's visit, how much later the batch left
/// the stage than it could have (room behind, its turn). 0 or more. `schedule` fits `shape`. O(n log n).
std::vector<Nanoseconds> recorded_overheads(const FlowShape& shape, const Schedule& schedule);

}  // namespace takt
