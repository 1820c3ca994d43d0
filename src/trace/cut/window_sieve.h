// What of a window of a Chrome trace may belong to a piece: the rest is dropped before it takes memory.
//
// The sieve errs on the side of keeping. What a begin opened can end in another window, so a begin or end without its
// partner in the window stays, and cut.h decides when all of it is known.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "trace/chrome/windows.h"
#include "trace/events/intervals.h"

namespace takt {

/// A part of a trace: a span of time, of all processes or of some.
struct TracePart {
  TimeInterval span;
  std::optional<std::set<std::int64_t>> pids;  ///< nullopt: all
};

/// Whether an event has a share of the span: a moment belongs to the span that it begins, not to the one that it ends.
inline bool overlaps(TimeInterval span, std::int64_t start, std::int64_t duration) {
  if (duration <= 0) return start >= span.start && start < span.end;
  return start < span.end && start + duration > span.start;
}

/// Takes out of `window` what lies outside. Begins and ends of a row must come by time, in the window and in the file.
void sieve(const chrome::EventParser& parser, chrome::Window& window, const TracePart& part);

}  // namespace takt
