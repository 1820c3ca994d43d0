// The small vocabulary that tests of the pipeline's movement are written in.
#pragma once

#include <string>
#include <vector>

#include "base/basics/error.h"
#include "flow/simulate.h"

namespace takt {

/// What a call is refused with; empty: it is not.
template <typename Call>
std::string flow_refusal(Call call, ErrorKind kind = ErrorKind::bad_input) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind() == kind ? error.what() : std::string("of another kind: ") + error.what();
  }
  return "";
}

/// Devices without a bound, as many as the stages name; a closed loop of `batches`.
inline FlowShape pipeline(std::vector<FlowStage> stages, std::int64_t batches) {
  FlowShape shape;
  for (const auto& stage : stages) {
    for (const auto& replica : stage.replicas) {
      for (const int device : replica) {
        if (device >= static_cast<int>(shape.devices.size()))
          shape.devices.resize(static_cast<std::size_t>(device) + 1);
      }
    }
  }
  shape.stages = std::move(stages);
  shape.source.batches = batches;
  return shape;
}

inline StageTime takes(std::int64_t ns) { return {{Nanoseconds(ns)}, {}, {}}; }

inline StageTime takes(std::int64_t partition, std::vector<std::int64_t> parts, std::int64_t merge) {
  StageTime time{{}, Nanoseconds(partition), Nanoseconds(merge)};
  for (const auto part : parts) time.parts.emplace_back(part);
  return time;
}

/// The makespan in nanoseconds.
inline std::int64_t simulated(const FlowShape& shape, std::vector<StageTime> times) {
  FixedTimes fixed(shape, std::move(times));
  return simulate(shape, fixed).makespan().count();
}

inline Schedule schedule(const FlowShape& shape, std::vector<StageTime> times, const SimulationOptions& options = {}) {
  FixedTimes fixed(shape, std::move(times));
  return simulate(shape, fixed, options);
}

/// A time of its own for each batch in each ordinary stage: times[batch][stage].
class BatchTimes final : public ServiceTimes {
 public:
  explicit BatchTimes(std::vector<std::vector<std::int64_t>> times) : times_(std::move(times)) {}
  Nanoseconds service(const Execution& execution) override {
    return Nanoseconds(times_[static_cast<std::size_t>(execution.batch)][static_cast<std::size_t>(execution.stage)]);
  }

 private:
  std::vector<std::vector<std::int64_t>> times_;
};

inline std::vector<std::int64_t> delivery_times(const Schedule& schedule) {
  std::vector<std::int64_t> times;
  for (const auto& batch : schedule.batches) times.push_back(batch.delivered.count());
  return times;
}

inline std::vector<std::int64_t> start_times(const Schedule& schedule, int stage) {
  std::vector<std::int64_t> times;
  for (const auto& visit : schedule.visits) {
    if (visit.stage == stage) times.push_back(visit.started.count());
  }
  return times;
}

inline std::vector<std::int64_t> leaving_times(const Schedule& schedule, int stage) {
  std::vector<std::int64_t> times;
  for (const auto& visit : schedule.visits) {
    if (visit.stage == stage) times.push_back(visit.left.count());
  }
  return times;
}

/// How many times as long an execution of `stage` takes while one of each of `others` runs, by a law of so many stages.
inline double slow_down_of(const ContentionLaw& law, int stages, int stage, const std::vector<int>& others) {
  FlowShape shape;
  shape.devices.resize(1);
  for (int s = 0; s < stages; ++s) shape.stages.push_back(stage_on(0));
  ContentionState state(law, shape);
  state.start(stage, 0);
  for (const int other : others) state.start(other, 0);
  return static_cast<double>(state.slowdown(stage, 0)) / ContentionState::unit;
}

}  // namespace takt
