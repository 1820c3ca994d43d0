// Lanes: spans of one row that overlap without nesting, set apart so that each line nests.
//
// Viewers draw a row as a stack, and importers drop or move a span that starts inside another and ends after it. Work
// that really runs at the same time on one row (two inference requests on one device) therefore needs more lines.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/events/trace.h"

namespace takt {

/// How the events of a trace go on lines. A negative duration counts as zero here.
struct Lanes {
  std::vector<std::uint32_t> order;  ///< event positions by start; of equal starts the longest first, then as added
  std::vector<std::uint32_t> lane;   ///< per event: 0 is the row itself
  std::vector<std::uint32_t> count;  ///< per row: lanes used, at least 1
};

/// An event goes inside the shortest open span that holds it; else on the lowest free lane; else on a new one.
/// O(n log n) even where every event overlaps every other.
Lanes assign_lanes(const Trace& trace);

/// The duration as drawn: never negative.
inline std::int64_t drawn_duration_ns(const TraceEvent& event) { return event.duration_ns < 0 ? 0 : event.duration_ns; }

}  // namespace takt
