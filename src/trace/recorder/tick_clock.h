// Ticks of the recorder's clock as nanoseconds.
//
// A fixed frequency is not good enough: the nominal one of the time stamp counter is off by about one in a million, and
// one measured over 10 ms drifts by tens of nanoseconds per second. So both clocks are read together now and then
// (anchors), and ticks between two anchors are interpolated, which never adds to the anchors' own error.
#pragma once

#include <cstdint>
#include <vector>

#include "base/basics/units.h"
#include "takt/tick_clock.h"

namespace takt {

struct TickAnchor {
  std::uint64_t ticks = 0;
  std::int64_t steady_ns = 0;
};

/// The tightest of 100 readings of CLOCK_MONOTONIC between two readings of the ticks.
TickAnchor read_anchor();

/// Anchors by time, at most 2^16 of them: when there are more, every second one is forgotten. Not thread-safe.
class TickConversion {
 public:
  TickConversion() = default;
  /// `counts`: the ticks are a counter's and not nanoseconds; of a recording from another machine.
  explicit TickConversion(bool counts) : counts_(counts) {}
  void add(TickAnchor anchor);
  /// Before the first anchor and after the last, the nearest two are extended. Needs two anchors where the clock is a
  /// counter; ticks that are nanoseconds already are returned as they are. Times are bounded at 146 years, so that what
  /// is no reading of the clock stays a time.
  Nanoseconds steady_time(std::uint64_t ticks) const;
  const std::vector<TickAnchor>& anchors() const { return anchors_; }

 private:
  bool counts_ = TickClock::uses_counter();
  std::vector<TickAnchor> anchors_;
};

}  // namespace takt
