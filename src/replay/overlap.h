// Which stages slow each other down, estimated from one run alone.
//
// An execution of stage i that takes `base` alone and runs beside stage j for a time x, while which it is f times as
// slow, takes D = base + (1 − 1/f)·x. So the coefficient of D on the overlaps tells f. But x is no cause alone: an
// execution that takes longer by chance also overlaps longer. Therefore the overlap z of the first moments only, as
// many as the shortest execution of the stage has, stands in as instrument: it cannot depend on how long the execution
// goes on. c = (ZᵀX)⁻¹ZᵀD (two-stage least squares, exactly identified), f = 1/(1 − c).
//
// Noise is not contention: c must be so large that permuting the durations hardly ever gives as much (1 % over all
// stages beside i), and f must be at least 1.02. Where a stage always or never runs beside another, its overlap has no
// variance and nothing can be told: the slow-down stays in the recorded times.
#pragma once

#include <span>
#include <vector>

#include "record/pipeline_run.h"

namespace takt {

/// Stage `stage` takes `factor` times as long while `beside` runs.
struct Interference {
  int stage = 0, beside = 0;
  double factor = 1;
  double p_value = 1;  ///< share of permutations that showed as much
};

/// Only significant ones, by stage and then beside. What `law` explains is taken out before. The same run gives the
/// same answer. Stages with fewer than 20 executions are left out; of many, the first 4,000 are used.
std::vector<Interference> interference_from_overlap(const PipelineRun& run, const ContentionLaw& law = {});

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
