// What runs at the moment on the virtual clock, and when it will be done: once for service times that stay as they are,
// once for those that other executions stretch. For simulate.cpp, and for the engine, which drives it with real time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "flow/batch_ring.h"
#include "flow/contention.h"
#include "flow/pipeline_flow.h"

namespace takt {

/// An execution in progress and the place of its record.
struct InProgress {
  Execution what;
  std::size_t record = 0;
};

inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Executions whose end is known when they start. The usual few dozen stand in a sorted ring, where a later end finds
/// its place next to the back; the others of a very wide pipeline in a heap.
class SteadyClock {
 public:
  void start(std::int64_t now, std::int64_t service, const InProgress& execution);
  /// When the next execution is done; `never`: none is running.
  std::int64_t next() const {
    const std::int64_t near = ring_.empty() ? never : ring_.front().end;
    return heap_.empty() ? near : std::min(near, heap_.front().end);
  }
  /// Calls `done` with those that are done at `now`, which is not after next().
  template <typename Done>
  void take_done(std::int64_t now, Done&& done) {
    for (; !ring_.empty() && ring_.front().end == now; ring_.pop_front()) release(ring_.front().slot, done);
    for (; !heap_.empty() && heap_.front().end == now; heap_.pop_back()) {
      release(heap_.front().slot, done);
      std::pop_heap(heap_.begin(), heap_.end(), later_first);
    }
  }
  /// After all starts of an instant.
  void settle(std::int64_t) {}

 private:
  static constexpr std::int64_t ring_size = 64;
  struct Entry {
    std::int64_t end;
    std::size_t slot;
    bool operator<(const Entry& other) const { return end < other.end; }
  };
  static bool later_first(const Entry& a, const Entry& b) { return b < a; }
  template <typename Done>
  void release(std::size_t slot, Done&& done) {
    done(slots_[slot]);
    free_slots_.push_back(slot);
  }
  BatchRing<Entry> ring_;
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
  /// Valid after settle().
  std::int64_t next() const { return next_; }
  template <typename Done>
  void take_done(std::int64_t now, Done&& done) {
    if (next_ != now) return;
    std::size_t kept = 0;
    for (Entry& entry : entries_) {
      if (entry.end == now) {
        done(entry.execution);
        forget(entry.execution.what);
      } else {
        entries_[kept++] = entry;
      }
    }
    entries_.resize(kept);
    changed_ = true;
  }
  void settle(std::int64_t now);

 private:
  __extension__ using Wide = __int128;
  static constexpr std::int64_t unknown = -1;
  struct Entry {
    InProgress execution;
    Wide remaining = 0, speed = 0;  ///< 2^-60 ns; of those per ns
    std::int64_t slowdown = 0, since = 0;
    std::int64_t end = unknown;  ///< exact where it may be the next
    double earliest = 0;         ///< from now, in ns: a bound below the exact end
  };
  struct Speed {
    std::int64_t slowdown = 0;
    Wide speed = 0;
  };
  Wide speed_at(std::int64_t slowdown);
  void forget(const Execution& what);
  void rescale(Entry& entry, std::int64_t now, std::int64_t slowdown);
  double estimate(std::int64_t now);
  ContentionState state_;
  std::vector<Entry> entries_;
  std::array<Speed, 16> speeds_{};  ///< those used last, by a hash
  std::int64_t next_ = never;
  bool changed_ = false;
};

}  // namespace takt
