#include "plan/estimate/flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"
#include "base/basics/index.h"

namespace takt {
namespace {

int end_of(const PlacedBlock& block) { return block.units.size() > 1 ? PlanCosts::host : block.units.front(); }

std::string name_of(int unit, const PlanCosts& costs) {
  return unit == PlanCosts::host ? "the host" : costs.units()[index(unit)];
}

std::string stages_called(const StageSpan& stages) {
  return fmt::format("{} {}", stages.count() == 1 ? "stage" : "stages", to_string(stages));
}

/// Why there is none, or nullopt and the time in `time`.
using Reason = std::optional<std::string>;

Reason find_transfer(int cut, int from, int to, const PlanCosts& costs, Nanoseconds& time) {
  const auto known = costs.transfer(cut, from, to);
  time = known.value_or(Nanoseconds(0));
  if (known) return std::nullopt;
  return fmt::format("after stage {}: the time of a transfer from {} to {} is unknown", cut, name_of(from, costs),
                     name_of(to, costs));
}

Reason find_block_time(const PlacedBlock& block, const PlanCosts& costs, StageTime& time) {
  for (std::size_t p = 0; p < block.units.size(); ++p) {
    const auto part = costs.time(block.stages, block.units[p], block.shares[p]);
    if (!part)
      return fmt::format("{} cannot run on {}: {}", stages_called(block.stages), name_of(block.units[p], costs),
                         costs.why_missing(block.stages, block.units[p]));
    time.parts.push_back(*part);
  }
  if (block.units.size() == 1) return std::nullopt;
  const auto divide = costs.divide(block.stages, block.units);
  if (!divide) return fmt::format("{}: the time to split a batch over them is unknown", stages_called(block.stages));
  time.partition = divide->partition;
  time.merge = divide->merge;
  return std::nullopt;
}

Reason lack_of_memory(const std::vector<PlacedBlock>& blocks, const PlanCosts& costs) {
  for (std::size_t u = 0; u < costs.units().size(); ++u) {
    const int unit = static_cast<int>(u);
    const auto limit = costs.memory_limit(unit);
    if (!limit) continue;
    std::int64_t wanted = 0;
    for (const PlacedBlock& block : blocks)
      for (std::size_t p = 0; p < block.units.size(); ++p)
        if (block.units[p] == unit) wanted += costs.memory(block.stages, unit, block.shares[p]).value_or(0);
    if (wanted > *limit)
      return fmt::format("{} needs {} of memory but has {}", costs.units()[u],
                         format_bytes(static_cast<double>(wanted)), format_bytes(static_cast<double>(*limit)));
  }
  return std::nullopt;
}

/// By stage of the flow; empty where no block's pressures are known. The parts of a divided block are on units of their
/// own and only known in pairs.
std::vector<std::optional<BesideSeveral>> several_of(const std::vector<PlacedBlock>& blocks,
                                                     const std::vector<int>& block_of, const PlanCosts& costs) {
  std::vector<std::optional<BesideSeveral>> several(block_of.size());
  bool any = false;
  for (std::size_t s = 0; s < block_of.size(); ++s) {
    if (block_of[s] < 0) continue;
    const PlacedBlock& block = blocks[index(block_of[s])];
    auto answers = block.units.size() > 1 ? std::nullopt : costs.contention(block.stages, block.units.front());
    if (!answers) continue;
    several[s] = BesideSeveral{1, std::move(*answers)};
    any = true;
  }
  return any ? several : std::vector<std::optional<BesideSeveral>>{};
}

}  // namespace

PlanRules rules_of(const PlanCosts& costs, bool units_once) { return {costs.stages(), costs.units(), {}, units_once}; }

std::vector<PlacedBlock> placed(const Plan& plan, const PlanCosts& costs) {
  check(plan, rules_of(costs, false), fmt::format("plan '{}'", to_string(plan)));
  std::vector<PlacedBlock> blocks;
  for (const PlanBlock& block : plan.blocks) {
    PlacedBlock& one = blocks.emplace_back(PlacedBlock{block.stages, {}, {}});
    for (const PlanPart& part : block.parts) {
      const auto found = std::find(costs.units().begin(), costs.units().end(), part.unit);
      one.units.push_back(static_cast<int>(found - costs.units().begin()));
      one.shares.push_back(part.share);
    }
  }
  return blocks;
}

Plan plan_of(const std::vector<PlacedBlock>& blocks, const PlanCosts& costs) {
  Plan plan;
  for (const PlacedBlock& block : blocks) {
    PlanBlock& one = plan.blocks.emplace_back(PlanBlock{block.stages, {}});
    for (std::size_t p = 0; p < block.units.size(); ++p)
      one.parts.push_back({costs.units()[index(block.units[p])], block.shares[p]});
  }
  return plan;
}

std::variant<PlanTimes, std::string> times_or_reason(const std::vector<PlacedBlock>& blocks, const PlanCosts& costs) {
  if (auto lack = lack_of_memory(blocks, costs)) return *lack;
  PlanTimes times;
  int from = PlanCosts::host;
  for (const PlacedBlock& block : blocks) {
    BlockTimes& one = times.blocks.emplace_back();
    if (auto reason = find_block_time(block, costs, one.time)) return *reason;
    if (auto reason = find_transfer(block.stages.first - 1, from, end_of(block), costs, one.transfer)) return *reason;
    from = end_of(block);
  }
  const int last = blocks.back().stages.last;
  if (auto reason = find_transfer(last, from, PlanCosts::host, costs, times.result_transfer)) return *reason;
  return times;
}

PlanTimes times_of(const std::vector<PlacedBlock>& blocks, const PlanCosts& costs) {
  auto found = times_or_reason(blocks, costs);
  if (const auto* reason = std::get_if<std::string>(&found)) refuse_input(*reason);
  return std::get<PlanTimes>(std::move(found));
}

double slow_down_between(const PlacedBlock& block, const PlacedBlock& other, const PlanCosts& costs) {
  double most = 1;
  for (const int unit : block.units)
    for (const int beside : other.units)
      if (unit != beside) most = std::max(most, costs.slow_down(block.stages, unit, other.stages, beside));
  return most;
}

std::int64_t least_time_together(std::vector<Nanoseconds> parts, double factor) {
  std::sort(parts.begin(), parts.end());
  double time = 0;
  std::int64_t done = 0;  // of every part that still runs
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto others = static_cast<double>(parts.size() - p - 1);
    time += static_cast<double>(parts[p].count() - done) * std::pow(factor, others);
    done = parts[p].count();
  }
  const auto slack = static_cast<double>(parts.size());
  return std::max(done, static_cast<std::int64_t>(time * (1 - 1e-9) - slack));
}

PlanFlow flow_of(const std::vector<PlacedBlock>& blocks, const PlanTimes& times, const PlanCosts& costs,
                 std::int64_t batches) {
  PlanFlow flow;
  flow.shape.devices.assign(costs.units().size(), FlowDevice{1});
  flow.shape.source.batches = batches;
  std::vector<int> block_of;  // by stage of the flow; −1: a link
  const auto add_link = [&](Nanoseconds time) {
    if (time.count() == 0) return;
    flow.shape.devices.push_back({1});
    flow.shape.stages.push_back(stage_on(static_cast<int>(flow.shape.devices.size()) - 1));
    flow.times.push_back({{time}, {}, {}});
    block_of.push_back(-1);
  };
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    add_link(times.blocks[b].transfer);
    flow.shape.stages.push_back(stage_over(blocks[b].units));
    flow.times.push_back(times.blocks[b].time);
    block_of.push_back(static_cast<int>(b));
  }
  add_link(times.result_transfer);
  if (!costs.has_slow_downs()) return flow;
  flow.contention.several = several_of(blocks, block_of, costs);

  const std::size_t stages = flow.shape.stages.size();
  flow.contention.interference.assign(stages, std::vector<double>(stages, 1));
  for (std::size_t i = 0; i < stages; ++i)
    for (std::size_t j = 0; j < stages; ++j)
      if (block_of[i] >= 0 && block_of[j] >= 0)
        flow.contention.interference[i][j] =
            slow_down_between(blocks[index(block_of[i])], blocks[index(block_of[j])], costs);
  return flow;
}

}  // namespace takt
