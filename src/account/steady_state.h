// How fast the pipeline runs when it is full, and which stage keeps it from running faster.
#pragma once

#include "account/account.h"
#include "account/stage_columns.h"

namespace takt {

/// Fills cycle, throughput_per_s and overall_per_s of `accounts`, which has its window. `sorted` are the run's columns,
/// sorted.
void account_cycle(const PipelineRun& run, const std::vector<StageColumns>& sorted, Accounts& accounts);

/// Fills the stages' load and bottleneck, second and margin, from `devices` and `stages`.
void account_bottleneck(const PipelineRun& run, Accounts& accounts);

}  // namespace takt
