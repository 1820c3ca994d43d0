// A plan as a pipeline that flow can move batches through.
//
// Every block is a stage with one replica, and so is every transfer that takes time, on a link of its own: copies of
// one batch go on while units compute others, and one after the other on the same link. A unit runs one execution at a
// time. In front of every stage waits one batch at most.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "flow/simulate.h"
#include "plan/estimate/costs.h"

namespace takt {

/// A block of a plan with the units' numbers.
struct PlacedBlock {
  StageSpan stages;
  std::vector<int> units;
  std::vector<double> shares;
};

/// What one batch takes alone: parts, partition, merge; and to move to the block.
struct BlockTimes {
  StageTime time;
  Nanoseconds transfer{};
};

struct PlanTimes {
  std::vector<BlockTimes> blocks;
  Nanoseconds result_transfer{};  ///< from the last block to who wants the result
};

struct PlanFlow {
  FlowShape shape;
  std::vector<StageTime> times;
  ContentionLaw contention;  ///< empty where costs know of no slow-downs
};

/// Throws Error(bad_input) naming the rule that the plan breaks.
std::vector<PlacedBlock> placed(const Plan& plan, const PlanCosts& costs);
Plan plan_of(const std::vector<PlacedBlock>& blocks, const PlanCosts& costs);

/// The times, or why the blocks are not possible, as a clause: a cost that is missing, memory that a unit lacks.
std::variant<PlanTimes, std::string> times_or_reason(const std::vector<PlacedBlock>& blocks, const PlanCosts& costs);
/// Throws Error(bad_input) with the reason.
PlanTimes times_of(const std::vector<PlacedBlock>& blocks, const PlanCosts& costs);

/// How many times as long a part of `block` takes while a part of `other`, perhaps the same block, runs on another
/// unit. The largest of the factors between parts of the two: flow knows stages, not parts, and the part that is slowed
/// down most is the one that the others wait for. Work on the same unit takes turns instead.
double slow_down_between(const PlacedBlock& block, const PlacedBlock& other, const PlanCosts& costs);

/// What parts that start together and slow each other down by `factor` take until the last is done; a nanosecond less
/// for each than exact arithmetic would say, as the simulation rounds at every change.
std::int64_t least_time_together(std::vector<Nanoseconds> parts, double factor);

/// `blocks` must be those that the times are of.
PlanFlow flow_of(const std::vector<PlacedBlock>& blocks, const PlanTimes& times, const PlanCosts& costs,
                 std::int64_t batches);

}  // namespace takt
