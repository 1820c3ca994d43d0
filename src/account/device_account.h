// Where the time of each device went. See the rules in device_account.cpp.
#pragma once

#include <vector>

#include "account/account.h"
#include "account/stage_columns.h"

namespace takt {

/// By device, in the run's order. `run` fits its shape (run_check.h), `sorted` are its columns, sorted.
std::vector<DeviceAccount> account_devices(const PipelineRun& run, RunWindow window,
                                           const std::vector<StageColumns>& sorted);

}  // namespace takt
