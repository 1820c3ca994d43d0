// What runs at the moment on the virtual clock, and when it will be done: once for service times that stay as they are,
// once for those that other executions stretch. For simulate.cpp only.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "flow/contention.h"
#include "flow/pipeline_flow.h"

namespace takt {

/// An execution in progress and the place of its record.
struct InProgress {
  Execution what;
  std::size_t record = 0;
};

inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Executions whose end is known when they start: a heap by end.
class SteadyClock {
 public:
  void start(std::int64_t now, std::int64_t service, const InProgress& execution);
  /// When the next execution is done; `never`: none is running.
  std::int64_t next() const { return heap_.empty() ? never : heap_.front().end; }
  /// Appends those that are done at `now`, which is not after next().
  void take_done(std::int64_t now, std::vector<InProgress>& done);
  /// After all starts of an instant.
  void settle(std::int64_t) {}

 private:
  struct Entry {
    std::int64_t end;
    std::size_t slot;
    bool operator<(const Entry& other) const { return end > other.end; }
  };
  std::vector<Entry> heap_;
  std::vector<InProgress> slots_;
  std::vector<std::size_t> free_slots_;
};

/// Executions that slow each other down (processor sharing). Remaining work is kept in units of 2^-60 ns, so that
/// re-scaling it at every change adds no error that a nanosecond could show.
class ContendedClock {
 public:
  ContendedClock(const ContentionLaw& law, const FlowShape& shape) : state_(law, shape) {}
  void start(std::int64_t now, std::int64_t service, const InProgress& execution);
  std::int64_t next() const { return next_; }
  void take_done(std::int64_t now, std::vector<InProgress>& done);
  void settle(std::int64_t now);

 private:
  __extension__ using Wide = __int128;
  struct Entry {
    InProgress execution;
    Wide remaining, speed;  ///< 2^-60 ns; of those per ns
    std::int64_t slowdown, since, end;
  };
  static void rescale(Entry& entry, std::int64_t now, std::int64_t slowdown);
  ContentionState state_;
  std::vector<Entry> entries_;
  std::int64_t next_ = never;
  bool changed_ = false;
};

}  // namespace takt
