// How much of a stage's time other stages run beside it, in a record or a prediction.
#pragma once

#include <vector>

#include "pipeline/record/pipeline_run.h"

namespace takt {

/// How much runs beside the executions of a stage: time of executions of `beside` within them over their own time. 1:
/// one all the time; 2: two.
struct OverlapShare {
  int stage = 0, beside = 0;
  double mean = 0;           ///< over all executions, longer ones counting more
  double low = 0, high = 0;  ///< 5th and 95th percentile of the executions
};

/// Every pair of stages, a stage beside itself too, by stage and then beside. Warm-up batches are left out; a stage
/// without executions has no row, but may be beside others. Cost n · (executions at once).
std::vector<OverlapShare> overlap_shares(const PipelineRun& run);

}  // namespace takt
