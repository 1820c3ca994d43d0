// Where the time of each device went. See the rules in device_account.cpp.
#pragma once

#include <vector>

#include "pipeline/account.h"

namespace takt {

/// By device, in the run's order. `run` fits its shape (run_check.h).
std::vector<DeviceAccount> account_devices(const PipelineRun& run, RunWindow window);

}  // namespace takt
