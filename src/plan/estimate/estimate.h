// What a plan is expected to take: one batch alone, and a stream of batches that follow each other through it.
//
// Three ways, which give the same nanosecond wherever several apply (a test holds them to it):
//  * Every unit in one block, no slow-downs: Σ over blocks and transfers + (batches − 1) · the slowest of them. The
//    max-plus recurrence of flow/makespan.h comes to that in a chain of single replicas, whose every circuit passes one
//    stage.
//  * Units that serve several blocks take turns, or blocks slow each other down: the simulation of flow/simulate.h.
//  * One batch alone, without slow-downs of parts of a block by each other: the sum, whoever serves what.
#pragma once

#include <optional>
#include <vector>

#include "plan/estimate/flow.h"

namespace takt {

struct PlanEstimate {
  PlanTimes times;        ///< of each block, undisturbed
  Nanoseconds latency{};  ///< of a batch that is alone in the pipeline
  std::int64_t batches = 0;
  Nanoseconds makespan{};  ///< from the first batch that enters to the last that is delivered
  /// Batches per second over the whole stream, its filling and draining included; missing: it takes no time at all.
  std::optional<double> throughput() const;
};

/// Throws Error(bad_input) as placed() and times_of() do, for fewer batches than 1, and for times beyond 292 years.
PlanEstimate estimate(const Plan& plan, const PlanCosts& costs, std::int64_t batches);

/// The time from the first batch's entry to the last delivery of `batches`, of blocks that are known to be possible.
Nanoseconds makespan_of(const std::vector<PlacedBlock>& blocks, const PlanTimes& times, const PlanCosts& costs,
                        std::int64_t batches);

/// Σ over blocks and transfers + (batches − 1) · the slowest of them: no simulation of these times ends earlier. Throws
/// Error(bad_input) beyond 292 years.
Nanoseconds undisturbed_makespan(const PlanTimes& times, std::int64_t batches);

/// With what blocks, and parts of a block, do to each other at least, if every unit has one block: no simulation of
/// these blocks ends earlier. Grows with the time that a block takes alone.
Nanoseconds least_makespan(const std::vector<PlacedBlock>& blocks, const PlanTimes& times, const PlanCosts& costs,
                           std::int64_t batches);

/// Whether undisturbed_makespan() is the plan's makespan.
bool sums_are_exact(const std::vector<PlacedBlock>& blocks, const PlanCosts& costs, std::int64_t batches);

}  // namespace takt
