// A pipeline on simulated devices and the virtual clock: the whole run at once, the same on every machine.
#pragma once

#include "pipeline/record/pipeline_run.h"
#include "pipeline/spec/pipeline_spec.h"
#include "pipeline/stages/simulated_times.h"

namespace takt {

/// Refuses a stage whose input does not fit what an earlier stage gives it, where shapes are known beforehand. Throws
/// Error(bad_input) that begins with "FILE:LINE:".
void check_simulated_shapes(const PipelineSpec& spec, const SimulatedTimes& times);

/// Throws Error(bad_input) unless every device is simulated, and as SimulatedTimes and simulate() do.
PipelineRun simulate_pipeline(const PipelineSpec& spec);

}  // namespace takt
