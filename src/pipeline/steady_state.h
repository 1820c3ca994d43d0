// How fast the pipeline runs when it is full, and which stage keeps it from running faster.
#pragma once

#include "pipeline/account.h"

namespace takt {

/// Fills cycle, throughput_per_s and overall_per_s of `accounts`, which has its window.
void account_cycle(const PipelineRun& run, Accounts& accounts);

/// Fills the stages' load and bottleneck, second and margin, from `devices` and `stages`.
void account_bottleneck(const PipelineRun& run, Accounts& accounts);

}  // namespace takt
