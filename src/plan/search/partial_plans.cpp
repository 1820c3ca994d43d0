#include "plan/search/partial_plans.h"

#include <algorithm>
#include <bit>

namespace takt {

bool times_add_up(const PlanCosts& costs, const PlanSearchSettings& settings, std::int64_t batches) {
  if (costs.has_slow_downs()) return batches == 1 && !settings.divide;
  return batches == 1 || settings.units_once;
}

PartialPlans::PartialPlans(const PlanCosts& costs, const PlanChoices& choices, const PlanSearchSettings& settings,
                           std::int64_t batches)
    : costs_(costs),
      choices_(choices),
      settings_(settings),
      batches_(batches),
      bound_is_value_(times_add_up(costs, settings, batches)),
      bounds_(choices, settings.units_once) {
  if (takt::memory_adds_up(costs, settings.units_once)) memory_.emplace(costs, choices);
}

std::optional<PartialPlan> PartialPlans::nothing() const {
  PartialPlan plan;
  plan.bound = bounds_.sum(plan.front);
  if (plan.bound >= PlanChoices::impossible) return std::nullopt;
  if (!memory_) return plan;
  plan.bound = std::max(plan.bound, memory_->rest(plan.front, {}));
  if (plan.bound >= PlanChoices::impossible || !memory_->fits(0, {})) return std::nullopt;
  return plan;
}

std::vector<PartialPlan> PartialPlans::extensions(int number, std::int64_t wanted) {
  std::vector<PartialPlan> found;
  const PartialPlan& plan = plans_[index(number)];
  const Loads loads = loads_of(plan);
  const int blocks_left = settings_.most_blocks.value_or(choices_.stages()) - plan.blocks;
  const Team free = bounds_.free(plan.front);
  for (int last = blocks_left > 1 ? plan.front.done + 1 : choices_.stages(); last <= choices_.stages(); ++last)
    for (Team team = 1; team <= free; ++team) {
      if ((team & ~free) != 0) continue;
      ++looked_at_;
      if (const auto one = extended(number, loads, last, team, wanted)) found.push_back(*one);
    }
  return found;
}

/// With the stages up to `last` on the team; nullopt: that cannot become one of those that are wanted.
std::optional<PartialPlan> PartialPlans::extended(int number, const Loads& loads, int last, Team team,
                                                  std::int64_t wanted) const {
  const PartialPlan& before = plans_[index(number)];
  const StageSpan stages{before.front.done + 1, last};
  const std::int64_t time = choices_.total(stages, team);
  if (time >= PlanChoices::impossible) return std::nullopt;
  const std::int64_t moved = choices_.transfer(before.front.done, before.front.end, choices_.end_of(team));
  if (moved >= PlanChoices::impossible) return std::nullopt;

  PartialPlan plan;
  plan.front = bounds_.beyond(before.front, last, team);
  std::int64_t rest = bounds_.sum(plan.front);
  if (rest >= PlanChoices::impossible) return std::nullopt;
  plan.sum = before.sum + moved + time;
  if (plan.sum + rest >= wanted) return std::nullopt;
  if (memory_) {
    plan.exact = before.exact && !memory_->depends_on_shares(team);
    MemoryBounds::Bytes kept = loads.kept;
    memory_->add_least(kept, stages, team);
    if (!memory_->fits(last, kept)) return std::nullopt;
    if (last < choices_.stages()) rest = std::max(rest, memory_->rest(plan.front, kept));
    if (rest >= PlanChoices::impossible) return std::nullopt;
  }
  plan.slowest = std::max({before.slowest, moved, time});
  plan.bound = plan.sum + rest + (batches_ - 1) * std::max(plan.slowest, bounds_.slowest(plan.front));
  if (!settings_.units_once) plan.bound = std::max(plan.bound, busiest(loads, stages, team));
  if (plan.bound >= wanted) return std::nullopt;
  plan.team = team;
  plan.blocks = before.blocks + 1;
  plan.before = number;
  return plan;
}

/// The time in which the unit that has most to do does it, if these stages are added.
std::int64_t PartialPlans::busiest(Loads loads, StageSpan stages, Team team) const {
  for (Team left = team; left != 0; left &= left - 1) {
    const int unit = std::countr_zero(left);
    loads.work[index(unit)] += choices_.least_work(stages, unit, team);
  }
  const std::int64_t most = *std::max_element(loads.work.begin(), loads.work.end());
  return std::min(most, PlanChoices::impossible / batches_) * batches_;
}

PartialPlans::Loads PartialPlans::loads_of(const PartialPlan& plan) const {
  Loads loads;
  if (settings_.units_once) return loads;
  for (const PartialPlan* one = &plan; one->before >= 0; one = &plans_[index(one->before)]) {
    const StageSpan stages{plans_[index(one->before)].front.done + 1, one->front.done};
    if (memory_) memory_->add_least(loads.kept, stages, one->team);
    for (Team left = one->team; left != 0; left &= left - 1) {
      const int unit = std::countr_zero(left);
      loads.work[index(unit)] += choices_.least_work(stages, unit, one->team);
    }
  }
  return loads;
}

int PartialPlans::add(const PartialPlan& plan) {
  plans_.push_back(plan);
  return static_cast<int>(plans_.size()) - 1;
}

std::vector<TeamBlock> PartialPlans::blocks_of(const PartialPlan& plan) const {
  std::vector<TeamBlock> blocks;
  for (const PartialPlan* one = &plan; one->before >= 0; one = &plans_[index(one->before)])
    blocks.push_back({{plans_[index(one->before)].front.done + 1, one->front.done}, one->team});
  std::reverse(blocks.begin(), blocks.end());
  return blocks;
}

std::optional<std::vector<PlacedBlock>> PartialPlans::with_best_shares(const PartialPlan& plan) {
  if (memory_ && !memory_->fits(choices_.stages(), kept_divided(plan))) return std::nullopt;
  std::vector<PlacedBlock> blocks;
  for (const TeamBlock& block : blocks_of(plan))
    blocks.push_back(choices_.block(block.stages, block.team, choices_.best_steps(block.stages, block.team)));
  return blocks;
}

MemoryBounds::Bytes PartialPlans::least_kept(const PartialPlan& plan) const {
  return memory_ ? loads_of(plan).kept : MemoryBounds::Bytes{};
}

MemoryBounds::Bytes PartialPlans::kept_divided(const PartialPlan& plan) {
  MemoryBounds::Bytes kept{};
  if (memory_)
    for (const TeamBlock& block : blocks_of(plan)) memory_->add_divided(kept, block.stages, block.team);
  return kept;
}

void PartialPlans::price_memory(std::optional<std::int64_t> enough) {
  if (memory_) memory_->find_prices(enough);
}

}  // namespace takt
