// A device that waits for the host: operators have the device's own times, and between them it had nothing to do.
#pragma once

#include <string>

#include "measure/operators/op_profile.h"

namespace takt {

/// "The GPU waited in 67 % of a run for the host, which asks for its 48 operators one by one, …"; empty where it worked
/// most of the time, and where nothing tells: without the device's clock, or without plain runs.
std::string waiting_device_line(const RunResult& result, const OpProfile& profile);

}  // namespace takt
