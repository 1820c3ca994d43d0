#include "plan/estimate/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/basics/error.h"
#include "plan/estimate/overlap_bound.h"

namespace takt {
namespace {

__extension__ using Wide = __int128;

/// With these times of the blocks.
Nanoseconds summed(const PlanTimes& times, const std::vector<std::int64_t>& blocks, std::int64_t batches) {
  Wide sum = times.result_transfer.count();
  std::int64_t slowest = times.result_transfer.count();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::int64_t moved = times.blocks[b].transfer.count();
    sum += Wide(moved) + blocks[b];
    slowest = std::max({slowest, moved, blocks[b]});
  }
  sum += Wide(slowest) * (batches - 1);
  if (sum > std::numeric_limits<std::int64_t>::max())
    refuse_input("plan: it takes more than 292 years; use fewer batches");
  return Nanoseconds(static_cast<std::int64_t>(sum));
}

bool units_have_one_place(const std::vector<PlacedBlock>& blocks) {
  std::set<int> taken;
  for (const PlacedBlock& block : blocks)
    for (const int unit : block.units)
      if (!taken.insert(unit).second) return false;
  return true;
}

}  // namespace

std::optional<double> PlanEstimate::throughput() const {
  if (makespan.count() == 0) return std::nullopt;
  return static_cast<double>(batches) / std::chrono::duration<double>(makespan).count();
}

Nanoseconds undisturbed_makespan(const PlanTimes& times, std::int64_t batches) {
  std::vector<std::int64_t> blocks;
  for (const BlockTimes& block : times.blocks) blocks.push_back(block.time.total().count());
  return summed(times, blocks, batches);
}

Nanoseconds least_makespan(const std::vector<PlacedBlock>& blocks, const PlanTimes& times, const PlanCosts& costs,
                           std::int64_t batches) {
  if (!costs.has_slow_downs() || !units_have_one_place(blocks)) return undisturbed_makespan(times, batches);
  std::vector<LoneBlock> alone;
  std::vector<std::int64_t> totals;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const StageTime& time = times.blocks[b].time;
    const double factor = slow_down_between(blocks[b], blocks[b], costs);
    alone.push_back({(time.partition + time.merge).count(), least_time_together(time.parts, factor)});
    totals.push_back(alone.back().on_host + alone.back().computes);
  }
  Nanoseconds least = summed(times, totals, batches);
  for (std::size_t a = 0; a < blocks.size() && batches > 1; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      alone[a].slow_down = slow_down_between(blocks[a], blocks[b], costs);
      alone[b].slow_down = slow_down_between(blocks[b], blocks[a], costs);
      least = std::max(least, Nanoseconds(least_time_of_two(alone[a], alone[b], batches)));
    }
  return least;
}

bool sums_are_exact(const std::vector<PlacedBlock>& blocks, const PlanCosts& costs, std::int64_t batches) {
  if (costs.has_slow_downs()) {
    const bool divided =
        std::any_of(blocks.begin(), blocks.end(), [](const auto& one) { return one.units.size() > 1; });
    if (divided || (batches > 1 && blocks.size() > 1)) return false;
  }
  return batches == 1 || units_have_one_place(blocks);
}

Nanoseconds makespan_of(const std::vector<PlacedBlock>& blocks, const PlanTimes& times, const PlanCosts& costs,
                        std::int64_t batches) {
  if (sums_are_exact(blocks, costs, batches)) return undisturbed_makespan(times, batches);
  const PlanFlow flow = flow_of(blocks, times, costs, batches);
  FixedTimes fixed(flow.shape, flow.times);
  return simulate(flow.shape, fixed, {{}, flow.contention, false}).makespan();
}

PlanEstimate estimate(const Plan& plan, const PlanCosts& costs, std::int64_t batches) {
  if (batches < 1) refuse_input(fmt::format("plan: {} is not a number of batches; give 1 or more", batches));
  const auto blocks = placed(plan, costs);
  PlanEstimate result{times_of(blocks, costs), {}, batches, {}};
  result.latency = makespan_of(blocks, result.times, costs, 1);
  result.makespan = makespan_of(blocks, result.times, costs, batches);
  return result;
}

}  // namespace takt
