// A model timed without records, in a few stretches: its first operators alone, then some more, then all.
#pragma once

#include <vector>

#include "base/basics/units.h"
#include "measure/open/run_result.h"
#include "model/runtime/runtime.h"

namespace takt {

/// Cuts the model around the operators that take most and times its heads in turns, within `budget` in all. Empty where
/// records disturb little, the runtime cannot run a part of a model, or the model is too slow for the budget. `session`
/// is the profiled one, after its last run; `result` has both passes.
std::vector<Stretch> measure_stretches(Session& session, const RunResult& result, Duration budget);

}  // namespace takt
