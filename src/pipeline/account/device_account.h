// Where the time of each device went. See the rules in device_account.cpp.
#pragma once

#include <vector>

#include "pipeline/account/account.h"
#include "pipeline/account/stage_columns.h"

namespace takt {

/// Fills devices and device_stages of `accounts`, which has its window and warmup; both in the run's order. `run` fits
/// its shape (run_check.h), `sorted` are its columns, sorted.
void account_devices(const PipelineRun& run, const std::vector<StageColumns>& sorted, Accounts& accounts);

}  // namespace takt
