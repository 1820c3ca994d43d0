// One row of raw_measurements.json, read.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "plan/costs/stage_measurement.h"

namespace takt {

/// `place` begins messages: "raw.json: '1000,2000,CPU,3'". Throws Error(bad_input). The row's key is the caller's.
StageMeasurement parse_raw_row(const nlohmann::json& row, const std::string& place);

}  // namespace takt
