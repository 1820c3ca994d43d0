// How long stages take for values of each size, where values of different sizes take turns.
#pragma once

#include <string>
#include <vector>

#include "pipeline/engine/batch_data.h"
#include "pipeline/record/pipeline_run.h"

namespace takt {

/// One sentence for each of `stages`: the median time of its executions for each size, smallest first; the first
/// `run.warmup` batches are left out. `turns`: of each stage of the run; those whose sizes vary tell the sizes. None
/// where no batch was executed.
std::vector<std::string> notes_on_sizes(const PipelineRun& run, const std::vector<int>& stages,
                                        const std::vector<std::vector<InputTurns>>& turns);

}  // namespace takt
