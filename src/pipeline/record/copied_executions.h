// Which execution each copy of a run belongs to.
#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/record/pipeline_run.h"

namespace takt {

/// By number of the copy: the place of its execution in the schedule; as many as there are executions where it has
/// none.
std::vector<std::size_t> copied_executions(const PipelineRun& run);

}  // namespace takt
