// What each stage, each batch and each part of a batch took.
#pragma once

#include <vector>

#include "pipeline/account/account.h"
#include "pipeline/account/stage_columns.h"
#include "pipeline/account/visit_copies.h"

namespace takt {

/// Fills window, stages, batches, stage_times and parts of `accounts`, which has its warmup. `run` fits its shape
/// (run_check.h), `by_batch` are its columns.
void account_stages(const PipelineRun& run, const std::vector<StageColumns>& by_batch, const VisitCopies& copies,
                    Accounts& accounts);

}  // namespace takt
