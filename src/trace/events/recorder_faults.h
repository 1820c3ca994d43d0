// What a recorder says of itself in the trace that it made.
#pragma once

#include <string>

#include "trace/events/faults.h"

namespace takt {

/// Adds what a trace's provenance tells under "recorder": events that were dropped, a recorder that was never ended.
void add_recorder_faults(const std::string& provenance_json, FaultList& faults);

}  // namespace takt
