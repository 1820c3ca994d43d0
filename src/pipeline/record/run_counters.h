// How long each queue is and how many executions each device runs, from instant to instant: the counters of a run's
// trace.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pipeline/record/pipeline_run.h"

namespace takt {

/// A count that begins at 0: every time in `up` adds one, every time in `down` takes one off. Both are sorted.
struct RunCounter {
  std::string name;
  std::vector<std::int64_t> up, down;
};

/// Returns the counters of `run`, which must fit its shape: "queue STAGE" by stage, then "in flight DEVICE" by device.
std::vector<RunCounter> counters_of(const PipelineRun& run);

/// One value per instant at which the count is another than before.
class CounterSteps {
 public:
  explicit CounterSteps(const RunCounter& counter) : counter_(&counter) { step(); }
  bool done() const { return done_; }
  std::int64_t time() const { return time_; }
  std::int64_t count() const { return count_; }
  void step();

 private:
  const RunCounter* counter_;
  std::size_t up_ = 0, down_ = 0;
  std::int64_t time_ = 0, count_ = 0;
  bool began_ = false, done_ = false;
};

/// The steps of all counters by time, those of one instant in the order of the list: `take(counter, time, count)`.
void each_step(const std::vector<RunCounter>& counters,
               const std::function<void(std::size_t counter, std::int64_t time, std::int64_t count)>& take);

}  // namespace takt
