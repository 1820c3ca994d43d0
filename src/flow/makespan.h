// How long a pipeline takes when every stage takes the same time for every batch: the plan search asks this thousands
// of times, so there is a way that is some twenty times faster than simulating every event.
//
// Max-plus recurrence (Baccelli, Cohen, Olsder, Quadrat: Synchronization and Linearity, 1992), batches m in order, with
// R replicas and a queue of Q before stage s, N in flight:
//   admitted[m] = max(start[m−Q, 0], left[m−N, last])                left[m, −1] = admitted[m]
//   start[m, s] = max(left[m, s−1], left[m−R, s])
//   left[m, s]  = max(start[m, s] + time[s], start[m−Q', s+1])       blocking after service; Q' of stage s+1
// With fixed times no batch overtakes another, so ordered and unordered stages are the same. Equal to simulate() in
// every nanosecond, which a test checks on random pipelines; what it cannot describe, it refuses to describe.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/basics/units.h"
#include "flow/simulate.h"

namespace takt {

/// Whether the recurrence holds: a chain in a closed loop whose number of batches is given, replicas that cannot be
/// told apart by their time, and no device with fewer requests than the replicas and parts it hosts.
bool has_fast_makespan(const FlowShape& shape);

/// Keeps its memory from call to call. Not thread-safe.
class MakespanCalculator {
 public:
  /// From the first admission to the last delivery. `stage_times[s]` is StageTime::total() of stage s. `shape` must be
  /// valid, nullopt if not has_fast_makespan(shape). Throws Error(bad_input) for a negative time, a wrong number of
  /// times, and for a result beyond 292 years.
  std::optional<Nanoseconds> fixed(const FlowShape& shape, std::span<const Nanoseconds> stage_times);

  /// The same for a time of its own for every batch: `times[batch · stages + stage]`, for a data-parallel stage
  /// partition + longest part + merge. nullopt also if a stage with several replicas is unordered, where batches may
  /// overtake.
  std::optional<Nanoseconds> ordered(const FlowShape& shape, std::span<const Nanoseconds> times);

 private:
  struct Lane {
    std::int64_t time;
    std::size_t replicas, queue;
  };
  void lay_out(const FlowShape& shape, std::int64_t batches);
  template <bool same_for_all>
  std::int64_t last_delivery(std::int64_t batches, std::span<const Nanoseconds> times);

  std::vector<Lane> lanes_;
  std::vector<std::int64_t> start_, left_;  ///< rings of the last batches, stage by stage
  std::size_t ring_ = 1, in_flight_ = 1;
  bool bounded_ = false;  ///< the batches in flight are
};

}  // namespace takt
