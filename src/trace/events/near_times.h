// Where in time the events of a trace lie, without those whose time is wrong or was never set.
//
// Recorders lose times: an event then has time 0, or one of another clock, and stands hours or decades from all others.
// One such event would make a trace of a second last for a decade, and its device idle for nearly all of it.
#pragma once

#include <cstdint>
#include <span>

#include "trace/events/intervals.h"
#include "trace/events/trace.h"

namespace takt {

/// Starts of events, ends included. All times where none lies off.
struct NearTimes {
  std::int64_t first = INT64_MIN, last = INT64_MAX;  ///< nanoseconds
  bool has(std::int64_t time) const { return first <= time && time <= last; }
};

/// Returns where the events start that belong together: nine of ten or more, of which each is less than 10 s, or less
/// than 1,000 times the length of all the others, from the next. The number 0 is no time if five events or more have it
/// while the others begin later than 100 times their length. Of fewer than 20 events all belong together. O(n) if they
/// do, else O(n log n).
NearTimes near_starts(std::span<const TraceEvent> events);
/// The same of the intervals of two lists together.
NearTimes near_starts(std::span<const TimeInterval> some, std::span<const TimeInterval> others);

}  // namespace takt
