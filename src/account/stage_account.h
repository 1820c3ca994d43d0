// What each stage, each batch and each part of a batch took.
#pragma once

#include <vector>

#include "account/account.h"
#include "account/stage_columns.h"

namespace takt {

/// Fills window, stages, batches, stage_times and parts of `accounts`. `run` fits its shape (run_check.h), `by_batch`
/// are its columns.
void account_stages(const PipelineRun& run, const std::vector<StageColumns>& by_batch, Accounts& accounts);

}  // namespace takt
