// A pipeline on simulated devices and the virtual clock: the whole run at once, the same on every machine.
#pragma once

#include <vector>

#include "pipeline/pipeline_run.h"
#include "pipeline/pipeline_spec.h"
#include "pipeline/simulated_times.h"

namespace takt {

/// When batches come to an open source: until there are as many as asked for, or `duration` has passed.
std::vector<Nanoseconds> arrivals_of(const PipelineSpec& spec);

/// Names, models and shape of a run that is about to be made; no times yet.
PipelineRun describe_run(const PipelineSpec& spec, const SimulatedTimes& times);

/// Refuses a stage whose input does not fit what an earlier stage gives it, where shapes are known beforehand. Throws
/// Error(bad_input) that begins with "FILE:LINE:".
void check_simulated_shapes(const PipelineSpec& spec, const SimulatedTimes& times);

/// Throws Error(bad_input) unless every device is simulated, and as SimulatedTimes and simulate() do.
PipelineRun simulate_pipeline(const PipelineSpec& spec);

}  // namespace takt
