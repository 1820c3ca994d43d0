// What each stage, each batch and each part of a batch took.
#pragma once

#include <vector>

#include "pipeline/account.h"

namespace takt {

/// Fills stages, batches, stage_times and parts of `accounts`. `run` fits its shape (run_check.h).
void account_stages(const PipelineRun& run, Accounts& accounts);

}  // namespace takt
