#include "plan/plan_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/index.h"
#include "plan/plan_choices.h"

namespace takt {
namespace {

std::string size_text(const GraphSize& size) { return fmt::format("{} nodes and {} edges", size.nodes, size.edges); }

std::shared_ptr<const PlanCosts> costs_of_size(const CostsAt& costs_at, const GraphSize& size) {
  auto costs = costs_at(size);
  if (!costs) refuse_input(fmt::format("plan set: the costs of {} are not known", size_text(size)));
  return costs;
}

std::int64_t value_of(const PlanSet::Cost& cost) { return cost ? cost->count() : PlanChoices::impossible; }

int best_of(const std::vector<PlanSet::Cost>& costs) {
  const auto best = std::min_element(costs.begin(), costs.end(),
                                     [](const auto& a, const auto& b) { return value_of(a) < value_of(b); });
  return static_cast<int>(best - costs.begin());
}

/// How far behind the best known the set would be at worst, as a factor, without plan `left_out`.
double worst_loss_without(const PlanSet& set, std::size_t left_out) {
  double worst = 1;
  for (const PlanSet::Point& point : set.points) {
    std::int64_t best = PlanChoices::impossible;
    for (std::size_t plan = 0; plan < point.costs.size(); ++plan)
      if (plan != left_out) best = std::min(best, value_of(point.costs[plan]));
    worst = std::max(
        worst, static_cast<double>(best) / static_cast<double>(std::max<std::int64_t>(1, point.best_known.count())));
  }
  return worst;
}

/// The plan that is missed least goes first, as long as none is missed by more than the tolerance.
void leave_out_what_is_not_missed(PlanSet& set, double tolerance) {
  while (set.plans.size() > 1) {
    std::size_t least_missed = 0;
    std::vector<double> losses;
    for (std::size_t plan = 0; plan < set.plans.size(); ++plan) losses.push_back(worst_loss_without(set, plan));
    least_missed = static_cast<std::size_t>(std::min_element(losses.begin(), losses.end()) - losses.begin());
    if (losses[least_missed] > 1 + tolerance) return;
    const auto place = static_cast<std::ptrdiff_t>(least_missed);
    set.plans.erase(set.plans.begin() + place);
    for (PlanSet::Point& point : set.points) point.costs.erase(point.costs.begin() + place);
  }
}

/// Sizes between two, by their distance from the first.
class SizeLine {
 public:
  SizeLine(const GraphSize& from, const GraphSize& to) : from_(from), to_(to) {}
  std::int64_t steps() const { return std::max(std::abs(to_.nodes - from_.nodes), std::abs(to_.edges - from_.edges)); }
  GraphSize at(std::int64_t step) const {
    const double part = static_cast<double>(step) / static_cast<double>(steps());
    const auto between = [&](std::int64_t a, std::int64_t b) {
      return a + std::llround(static_cast<double>(b - a) * part);
    };
    return {between(from_.nodes, to_.nodes), between(from_.edges, to_.edges)};
  }

 private:
  GraphSize from_, to_;
};

/// Where, on a line of sizes, a plan gains how much over another.
class Crossing {
 public:
  Crossing(const CostsAt& costs_at, const PlanSearchSettings& settings, SizeLine line, const Plan& below,
           const Plan& above)
      : costs_at_(costs_at), settings_(settings), line_(line), below_(below), above_(above) {}

  /// The first step where `above` gains more than `gain` (which may be negative); nullopt: nowhere. It is taken to gain
  /// ever more on the way.
  std::optional<std::int64_t> first_gain_of(std::int64_t gain) const {
    if (gain_at(line_.steps()) < gain) return std::nullopt;
    std::int64_t less = -1, enough = line_.steps();
    while (enough - less > 1) {
      const std::int64_t middle = less + (enough - less) / 2;
      (gain_at(middle) >= gain ? enough : less) = middle;
    }
    return enough;
  }

 private:
  std::int64_t gain_at(std::int64_t step) const {
    const auto costs = costs_of_size(costs_at_, line_.at(step));
    return value_of(cost_per_batch(below_, *costs, settings_)) - value_of(cost_per_batch(above_, *costs, settings_));
  }

  const CostsAt& costs_at_;
  const PlanSearchSettings& settings_;
  SizeLine line_;
  const Plan &below_, &above_;
};

PlanThreshold threshold_between(const PlanSet& set, const PlanSet::Point& low, const PlanSet::Point& high,
                                const CostsAt& costs_at, const PlanSetSettings& settings) {
  const SizeLine line(low.size, high.size);
  const Crossing crossing(costs_at, settings.search, line, set.plans[index(low.best)], set.plans[index(high.best)]);
  PlanThreshold threshold{low.best, high.best, high.size, {}, {}};
  if (const auto step = crossing.first_gain_of(1)) threshold.at = line.at(*step);
  if (const auto step = crossing.first_gain_of(settings.switch_cost.count())) threshold.up = line.at(*step);
  // The first step where `below` gains less than that lies behind the last where it gains as much.
  if (const auto step = crossing.first_gain_of(1 - settings.switch_cost.count()); step && *step > 0)
    threshold.down = line.at(*step - 1);
  return threshold;
}

}  // namespace

PlanSet::Cost cost_per_batch(const Plan& plan, const PlanCosts& costs, const PlanSearchSettings& settings) {
  const auto blocks = placed(plan, costs);
  const auto found = times_or_reason(blocks, costs);
  const auto* times = std::get_if<PlanTimes>(&found);
  if (!times) return std::nullopt;
  const std::int64_t batches = settings.objective == PlanObjective::latency ? 1 : settings.batches;
  return makespan_of(blocks, *times, costs, batches) / batches;
}

PlanSet compile_plan_set(const CostsAt& costs_at, const std::vector<GraphSize>& sizes,
                         const PlanSetSettings& settings) {
  if (sizes.empty()) refuse_input("plan set: there is no size; give one or more");
  PlanSet set;
  set.switch_cost = settings.switch_cost;
  PlanSearchSettings search = settings.search;
  search.top = 1;
  for (const GraphSize& size : sizes) {
    const auto costs = costs_of_size(costs_at, size);
    const PlanSearch found = search_plans(*costs, search);
    const Plan& best = found.plans.front().plan;
    set.points.push_back({size, {}, 0, *cost_per_batch(best, *costs, search)});
    if (std::find(set.plans.begin(), set.plans.end(), best) == set.plans.end()) set.plans.push_back(best);
  }
  for (PlanSet::Point& point : set.points) {
    const auto costs = costs_of_size(costs_at, point.size);
    for (const Plan& plan : set.plans) point.costs.push_back(cost_per_batch(plan, *costs, search));
  }
  leave_out_what_is_not_missed(set, settings.tolerance);
  for (PlanSet::Point& point : set.points) point.best = best_of(point.costs);
  for (std::size_t p = 1; p < set.points.size(); ++p)
    if (set.points[p].best != set.points[p - 1].best)
      set.thresholds.push_back(threshold_between(set, set.points[p - 1], set.points[p], costs_at, settings));
  return set;
}

}  // namespace takt
