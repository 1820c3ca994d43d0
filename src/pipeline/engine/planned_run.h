// What a description says of a run before it is made, on real devices or on the virtual clock: names, shape, arrivals.
#pragma once

#include <vector>

#include "pipeline/record/pipeline_run.h"
#include "pipeline/spec/pipeline_spec.h"
#include "pipeline/stages/simulated_times.h"

namespace takt {

/// Names, models and shape of a run that is about to be made; no times yet.
PipelineRun planned_run(const PipelineSpec& spec, const SimulatedTimes& times);

/// When batches come to an open source: until there are as many as asked for, or `duration` has passed.
std::vector<Nanoseconds> arrivals_of(const PipelineSpec& spec);

}  // namespace takt
