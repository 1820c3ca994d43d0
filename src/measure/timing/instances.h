// Several sessions of a model at once.
#pragma once

#include <vector>

#include "measure/open/prepared_model.h"
#include "measure/open/run_result.h"
#include "measure/open/run_settings.h"
#include "measure/timing/measure.h"

namespace takt {

/// Several sessions of the model, each in a thread of its own, measured at the same time: they start together once all
/// are warm. Fills RunResult::instances and returns the samples of all.
RunPass measure_instances(PreparedModel& model, const RunSettings& settings, const RunProgress& progress);

/// The cores of one instance; empty: all that the process may use.
std::vector<int> cores_of(const RunSettings& settings, int instance);

}  // namespace takt
