// How many batches at the beginning of a run that a program reported were slowed by its start: compiled kernels, memory
// that is taken for the first time.
#pragma once

#include <cstdint>

#include "pipeline/record/pipeline_run.h"

namespace takt {

/// Batches from the first on of which each took more than three times the stage's median in a stage, and those that came
/// before the last of them was delivered. 0 where that were more than half of all.
std::int64_t slow_start(const PipelineRun& run);

}  // namespace takt
