// A stream of batches of mixed sizes through a plan set, on the virtual clock: what choosing by size gains.
//
// The set chooses batch by batch, by what it was compiled with (PlanChooser on PlanSet::expected). What a batch then
// costs is asked of the costs themselves, at its very size. Beside it stand:
//  * an oracle, which knows the best plan of every size, of all plans there are, and changes for nothing: no way to run
//    the stream is below. By how much more time another way takes is its regret;
//  * the best there is with the set's plans if the whole stream is known beforehand, changes paid;
//  * every plan of the set for the whole stream, without a change.
// What a batch costs under a plan is its latency or, for throughput, its share of the makespan of a stream of its size.
// With throughput the stream is also moved through the pipelines themselves: batches that follow each other under one
// plan stream through its stages, each with its own size's times; before a change the pipeline runs empty.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/table/table.h"
#include "plan/sets/batch_stream.h"
#include "plan/sets/set.h"

namespace takt {

/// One way to run the stream.
struct StreamRun {
  std::string choice;        ///< "oracle", "set", "known", "fixed"
  std::optional<Plan> plan;  ///< of "fixed"
  Nanoseconds batches{};     ///< what the batches cost
  std::int64_t switches = 0;
  Nanoseconds switching{};           ///< what the changes cost
  std::optional<Nanoseconds> clock;  ///< on the virtual clock, changes included; missing for the oracle

  Nanoseconds total() const { return batches + switching; }
};

struct StreamReport {
  std::int64_t batches = 0, sizes = 0;  ///< of the stream; different ones
  std::int64_t extrapolated = 0;        ///< batches beyond the set's sizes or what was measured
  Nanoseconds switch_cost{};
  std::vector<StreamRun> runs;   ///< the set first, then known, oracle, fixed (the best of them first)
  std::vector<Plan> impossible;  ///< plans of the set that cannot run the whole stream

  const StreamRun& run(std::string_view choice) const;  ///< the first; there is one, or it is our own mistake
  const StreamRun* best_fixed() const;                  ///< null: no plan can run the whole stream
  double regret(const StreamRun& run) const;            ///< against the oracle, as a share of its time
};

/// `costs_at`: what batches really cost. Throws Error(bad_input) for costs of other stages or without one of the set's
/// units, without a batch, and where a batch is possible under none of the plans.
StreamReport simulate_stream(const PlanSet& set, const CostsAt& costs_at, const BatchStream& stream);

/// The time of a stream through one plan, from the first batch's entry to the last delivery. nullopt: it is not
/// possible at one of the sizes.
std::optional<Nanoseconds> stream_makespan(const Plan& plan, const CostsAt& costs_at, const BatchStream& stream);

}  // namespace takt
