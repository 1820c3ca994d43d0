// The recorded steps once more without something: how long they would have been.
//
// The trace becomes a graph. The program is one line of time that stands still in calls that wait; a piece of a
// device's work begins when it was launched, when its stream is free, and when the work of another stream that it
// visibly waited for is done; a call that waits returns when the work before it is done. Each dependency keeps the lag
// that it had. So nothing taken out gives the recorded times to the nanosecond, and without a cause the steps are as
// long as what remains needs: the program, a stream, or the chain through both.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "training/steps/steps.h"

namespace takt {

/// What is taken out.
struct Removal {
  Intervals host;                                  ///< the program's time
  bool waits = false;                              ///< calls that wait for the device return at once
  bool allocation_waits = false;                   ///< those that take or free memory, too
  std::function<double(const DeviceSpan&)> scale;  ///< what remains of a piece of work, 0 to 1; empty: all
};

class Replay {
 public:
  /// The activity and the steps outlive it. O(n log n).
  Replay(const Activity& activity, const Steps& steps);

  /// By how many ns each step would be shorter; the sum is never below 0. O(n log n).
  std::vector<std::int64_t> saved_without(const Removal& removal) const;
  /// Whether the trace tells what launched most work; else nothing ties the device to the program.
  bool knows_launches() const;

 private:
  static constexpr std::size_t none = SIZE_MAX;
  struct Work {
    std::int64_t launch = 0;  // when the call began
    bool has_launch = false;
    std::size_t before = none, other = none;  // on its own stream, on another one
    std::int64_t lag_launch = 0, lag_before = 0, lag_other = 0;
    std::size_t step = 0;  // 0: before the first one
  };
  struct Wait {
    std::int64_t start = 0, end = 0, own = 0;
    bool is_allocation = false, is_blocked_launch = false;
    std::size_t first = 0, last = 0;  // in deps_
  };
  struct Dependency {
    std::size_t work = 0;
    std::int64_t lag = 0;
  };
  class Run;

  void join_launches();
  void join_works();
  void collect_waits();
  void join_waits();
  void join_wait(Wait& wait, const std::map<RowId, std::size_t>& last);
  std::size_t other_stream_before(std::size_t at) const;
  std::vector<std::int64_t> lengths(const Removal& removal) const;

  const Activity& activity_;
  const Steps& steps_;
  std::vector<Work> works_;  // as in the activity
  std::vector<Wait> waits_;  // by end
  std::vector<Dependency> deps_;
  std::vector<std::size_t> by_end_;  // works
  std::int64_t latency_ = 0;         // from a launch to work on a free stream
  std::vector<std::int64_t> baseline_;
};

}  // namespace takt
