// The small vocabulary of tests about runs: simulated ones with names, and readings of an account in nanoseconds.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/basics/error.h"
#include "flow/flow_words.h"
#include "flow/random_pipeline.h"
#include "pipeline/account/account.h"

namespace takt {

/// Devices "sim:D0" …, stages "s_0" …: an underscore in a name must not matter.
inline PipelineRun run_of(const FlowShape& shape, Schedule schedule) {
  PipelineRun run;
  run.name = "test";
  run.shape = shape;
  for (std::size_t d = 0; d < shape.devices.size(); ++d) run.devices.push_back({"sim:D" + std::to_string(d), "sim"});
  for (std::size_t s = 0; s < shape.stages.size(); ++s)
    run.stages.push_back({"s_" + std::to_string(s), "dummy", false, std::nullopt, {}});
  run.schedule = std::move(schedule);
  run.virtual_clock = true;
  return run;
}

inline PipelineRun simulated_run(const FlowShape& shape, std::vector<StageTime> times,
                                 const SimulationOptions& options = {}) {
  return run_of(shape, schedule(shape, std::move(times), options));
}

inline PipelineRun simulated_run(const FlowShape& shape, std::vector<std::vector<std::int64_t>> times,
                                 const SimulationOptions& options = {}) {
  BatchTimes batch_times(std::move(times));
  return run_of(shape, simulate(shape, batch_times, options));
}

class InputTimes final : public ServiceTimes {
 public:
  explicit InputTimes(const OracleInput& input) : input_(input) {}
  Nanoseconds service(const Execution& execution) override { return Nanoseconds(input_.service(execution)); }

 private:
  const OracleInput& input_;
};

/// `input` is a random pipeline of this seed; every second one with contention.
inline PipelineRun random_run_of(OracleInput input, std::uint64_t seed) {
  SimulationOptions options;
  if (seed % 2 == 1) options.contention = random_contention(input, seed);
  options.arrivals = input.arrivals;
  InputTimes times(input);
  PipelineRun run = run_of(input.shape, simulate(input.shape, times, options));
  if (seed % 2 == 1) run.contention = options.contention;
  return run;
}

/// Every kind of chain.
inline PipelineRun random_run(std::uint64_t seed) { return random_run_of(random_pipeline(seed), seed); }
/// Every kind of stages that fork and meet.
inline PipelineRun random_graph_run(std::uint64_t seed) { return random_run_of(random_graph(seed), seed); }
/// Two chains, then one of the others.
inline PipelineRun any_random_run(std::uint64_t seed) {
  return seed % 3 == 2 ? random_graph_run(seed) : random_run(seed);
}

/// {busy, copy, sync, starved, blocked, dispatch, fill, drain}
inline std::vector<std::int64_t> causes(const DeviceAccount& device) {
  std::vector<std::int64_t> list;
  for (const Nanoseconds time : {device.busy, device.copy, device.sync, device.starved, device.blocked, device.dispatch,
                                 device.fill, device.drain})
    list.push_back(time.count());
  return list;
}

inline std::int64_t sum(const std::vector<std::int64_t>& list) {
  std::int64_t total = 0;
  for (const std::int64_t value : list) total += value;
  return total;
}

}  // namespace takt
