// The load in Prometheus' text format (version 0.0.4): what `takt exporter` answers. Pure.
#pragma once

#include <string>
#include <vector>

#include "predict/load/reading.h"

namespace takt {

/// A gauge takt_FEATURE{device, source} per reading that is told, with its help; takt_load_missing{feature, device,
/// source} 1 per reading that is not; takt_load_source_up{source}; takt_load_age_seconds, of the whole snapshot at
/// `now`, since the epoch. `sources`: all that were asked.
std::string exposition(const LoadSnapshot& snapshot, const std::vector<std::string>& sources, Nanoseconds now);

}  // namespace takt
