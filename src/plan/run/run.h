// Plans really run, several of them in turns, beside what they were expected to take.
//
// Machines are never quite the same from minute to minute, so plans that are to be compared take turns: every round
// runs each of them once, and what is said of two plans is said of their differences within rounds.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics/statistics.h"
#include "plan/estimate/estimate.h"
#include "plan/run/planned_model.h"

namespace takt {

struct PlannedTrial {
  std::string role;  ///< "found", "single", "PEP1", "given"
  Plan plan;
  PlanEstimate estimate;
};

struct PlanRunSettings {
  std::filesystem::path folder;  ///< each plan gets one of its own in it
  std::int64_t batches = 50;     ///< of the stream
  std::int64_t alone = 10;       ///< batches that are alone in the pipeline: for latencies
  int rounds = 3;
  bool check = true;       ///< compare what blocks compute with the model in float32
  std::uint64_t seed = 1;  ///< of simulated noise; every round has its own
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};  ///< may be empty
  const std::atomic<bool>* stop = nullptr;
};

/// What a block took in one round, means over its batches.
struct BlockRun {
  Duration alone{};      ///< while nothing else was in the pipeline
  Duration in_stream{};  ///< while others were
};

struct PlanRound {
  Duration latency{};      ///< mean of the batches that were alone
  Nanoseconds makespan{};  ///< of the stream
  std::vector<BlockRun> blocks;
};

struct PlanRunResult {
  PlannedTrial trial;
  PlanPipeline pipeline;
  std::vector<PlanRound> rounds;
  std::optional<std::vector<BlockNumbers>> numbers;  ///< nullopt: not checked

  bool is_wrong() const;  ///< false where nobody looked
  bool is_right() const { return numbers && !is_wrong() && untold().empty(); }
  /// Why nothing can be said of the numbers though somebody looked; empty: something can.
  std::string untold() const;
  std::string what_is_wrong() const;  ///< the first wrong block's, as a sentence
};

/// In the order of `trials`. Throws Error(bad_input) as PlannedModel::write(), Error(runtime) where a plan fails,
/// naming it, and when stopped.
std::vector<PlanRunResult> run_plans(const std::vector<PlannedTrial>& trials, const PlannedModel& model,
                                     const PlanRunSettings& settings);

}  // namespace takt
