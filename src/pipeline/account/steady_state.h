// How fast the pipeline runs when it is full, and which stage has most to do.
#pragma once

#include "pipeline/account/account.h"
#include "pipeline/account/stage_columns.h"

namespace takt {

/// Batches of `run` at its beginning that are in no mean: as many as it says, but one batch is always left.
std::int64_t warm_up_batches(const PipelineRun& run);

/// What the largest load is of: a stage alone, or a device that several stages or parts share.
struct LargestLoad {
  int stage = -1, device = -1;  ///< device: -1 where the stage alone counts for more
};

/// Fills the stages' load and bottleneck, second and margin, from stages and device_stages; nullopt without batches.
std::optional<LargestLoad> account_bottleneck(const PipelineRun& run, Accounts& accounts);

/// Fills steady, cycle and the rates of `accounts`, which has its window, batches and warmup; without a load only the
/// overall rate. `sorted` are the run's columns, sorted.
void account_cycle(const PipelineRun& run, const std::vector<StageColumns>& sorted,
                   const std::optional<LargestLoad>& load, Accounts& accounts);

/// Fills arrivals_per_s of a run that a program reported, with the batches that were dropped.
void account_logged_arrivals(const PipelineRun& run, Accounts& accounts);

}  // namespace takt
