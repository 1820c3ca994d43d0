#include "plan/sets/set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "plan/search/choices.h"

namespace takt {
namespace {

std::shared_ptr<const PlanCosts> costs_of_size(const CostsAt& costs_at, const GraphSize& size) {
  auto costs = costs_at(size);
  if (!costs) refuse_input(fmt::format("plan set: the costs of {} are unknown", size_text(size)));
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

/// Where, on a line of sizes, a plan gains how much over another.
class Crossing {
 public:
  Crossing(const CostsAt& costs_at, const PlanSearchSettings& settings, const Plan& below, const Plan& above)
      : costs_at_(costs_at), settings_(settings), below_(below), above_(above) {}

  /// The first step where `above` gains as much as `gain` (which may be negative); nullopt: nowhere. It is taken to
  /// gain ever more on the way.
  std::optional<std::int64_t> first_gain_of(std::int64_t gain, const SizeLine& line) const {
    if (gain_at(line, line.steps()) < gain) return std::nullopt;
    std::int64_t less = -1, enough = line.steps();
    while (enough - less > 1) {
      const std::int64_t middle = less + (enough - less) / 2;
      (gain_at(line, middle) >= gain ? enough : less) = middle;
    }
    return enough;
  }

 private:
  std::int64_t gain_at(const SizeLine& line, std::int64_t step) const {
    const auto costs = costs_of_size(costs_at_, line.at(step));
    return value_of(cost_per_batch(below_, *costs, settings_)) - value_of(cost_per_batch(above_, *costs, settings_));
  }

  const CostsAt& costs_at_;
  const PlanSearchSettings& settings_;
  const Plan &below_, &above_;
};

/// From one point of the set to another.
SizeLine line_between(const PlanSet& set, std::size_t from, std::size_t to) {
  std::vector<GraphSize> corners;
  for (std::size_t p = from; p <= to; ++p) corners.push_back(set.points[p].size);
  return SizeLine(corners);
}

/// The first and the last point around this one that have the same best plan.
std::pair<std::size_t, std::size_t> run_around(const PlanSet& set, std::size_t point) {
  std::size_t first = point, last = point;
  while (first > 0 && set.points[first - 1].best == set.points[point].best) --first;
  while (last + 1 < set.points.size() && set.points[last + 1].best == set.points[point].best) ++last;
  return {first, last};
}

/// Between this point and the one before it.
PlanThreshold threshold_before(const PlanSet& set, std::size_t point, const CostsAt& costs_at,
                               const PlanSetSettings& settings) {
  const PlanSet::Point &low = set.points[point - 1], &high = set.points[point];
  const Crossing crossing(costs_at, settings.search, set.plans[index(low.best)], set.plans[index(high.best)]);
  PlanThreshold threshold{low.best, high.best, high.size, {}, {}};
  const SizeLine here = line_between(set, point - 1, point);
  if (const auto step = crossing.first_gain_of(1, here)) threshold.at = here.at(std::max<std::int64_t>(1, *step));
  const SizeLine upwards = line_between(set, point - 1, run_around(set, point).second);
  if (const auto step = crossing.first_gain_of(settings.switch_cost.count(), upwards)) threshold.up = upwards.at(*step);
  // The first step where `below` gains less than that lies behind the last where it gains as much.
  const SizeLine downwards = line_between(set, run_around(set, point - 1).first, point);
  if (const auto step = crossing.first_gain_of(1 - settings.switch_cost.count(), downwards); step && *step > 0)
    threshold.down = downwards.at(*step - 1);
  return threshold;
}

void check(const PlanSetSettings& settings) {
  if (settings.switch_cost.count() < 0) refuse_input("plan set: the cost of a switch is negative");
  if (!(settings.tolerance >= 0 && settings.tolerance < 1))
    refuse_input(fmt::format("plan set: the tolerance {} is not a share of a time", settings.tolerance));
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
  if (sizes.empty()) refuse_input("plan set: no sizes were given; give one or more");
  check(settings);
  check_rows_grow(sizes);
  PlanSet set;
  set.switch_cost = settings.switch_cost;
  set.tolerance = settings.tolerance;
  set.objective = settings.search.objective;
  set.batches = settings.search.batches;
  set.steps = settings.search.steps;
  set.divide = settings.search.divide;
  set.units_once = settings.search.units_once;
  set.most_blocks = settings.search.most_blocks;
  PlanSearchSettings search = settings.search;
  search.top = 1;
  for (const GraphSize& size : sizes) {
    const auto costs = costs_of_size(costs_at, size);
    set.stages = costs->stages();
    set.units = costs->units();
    const PlanSearch found = search_plans(*costs, search);
    const Plan& best = found.plans.front().plan;
    set.points.push_back({size, {}, 0, *cost_per_batch(best, *costs, search), false});
    if (std::find(set.plans.begin(), set.plans.end(), best) == set.plans.end()) set.plans.push_back(best);
  }
  for (PlanSet::Point& point : set.points) {
    const auto costs = costs_of_size(costs_at, point.size);
    for (const Plan& plan : set.plans) point.costs.push_back(cost_per_batch(plan, *costs, search));
  }
  leave_out_what_is_not_missed(set, settings.tolerance);
  for (PlanSet::Point& point : set.points) {
    point.best = best_of(point.costs);
    point.extrapolated = settings.extrapolated && settings.extrapolated(set.plans[index(point.best)], point.size);
  }
  for (std::size_t p = 1; p < set.points.size(); ++p)
    if (set.points[p].best != set.points[p - 1].best)
      set.thresholds.push_back(threshold_before(set, p, costs_at, settings));
  return set;
}

PlanSearchSettings PlanSet::search() const {
  PlanSearchSettings search;
  search.objective = objective;
  search.batches = batches;
  search.steps = steps;
  search.divide = divide;
  search.units_once = units_once;
  search.most_blocks = most_blocks;
  search.top = 1;
  return search;
}

PlanSet::Expected PlanSet::expected(const GraphSize& size) const {
  const std::int64_t rows = rows_of(size);
  const auto behind =
      std::find_if(points.begin(), points.end(), [&](const Point& p) { return rows <= rows_of(p.size); });
  Expected expected;
  if (points.size() == 1 || (behind != points.end() && rows == rows_of(behind->size))) {
    const Point& point = points.size() == 1 ? points.front() : *behind;
    expected = {point.costs, point.best, point.extrapolated || rows != rows_of(point.size)};
    return expected;
  }
  // The segment that the size lies in, or the one that goes on.
  const auto high = std::clamp(behind, points.begin() + 1, points.end() - 1), low = high - 1;
  const auto outside = rows < rows_of(low->size) ? low : rows > rows_of(high->size) ? high : points.end();
  const double part =
      static_cast<double>(rows - rows_of(low->size)) / static_cast<double>(rows_of(high->size) - rows_of(low->size));
  for (std::size_t plan = 0; plan < plans.size(); ++plan) {
    const Cost &a = low->costs[plan], &b = high->costs[plan];
    if (a && b) {
      const double cost = static_cast<double>(a->count()) + part * static_cast<double>(b->count() - a->count());
      expected.costs.push_back(Nanoseconds(std::llround(std::clamp(cost, 0.0, 4e18))));
    } else {
      // Where the segment says nothing of it, the last point's own cost is the nearest that is known.
      expected.costs.push_back(outside == points.end() ? std::nullopt : outside->costs[plan]);
    }
  }
  expected.best = best_of(expected.costs);
  if (!expected.costs[index(expected.best)])
    refuse_input(fmt::format("plan set: no plan of the set is possible at {}; compile it with a size near this one",
                             size_text(size)));
  expected.extrapolated = outside != points.end() || low->extrapolated || high->extrapolated;
  return expected;
}

std::vector<PlanStretch> stretches_of(const PlanSet& set) {
  std::vector<PlanStretch> stretches;
  std::size_t point = 0;
  for (std::size_t t = 0; t <= set.thresholds.size(); ++t) {
    const PlanThreshold* before = t == 0 ? nullptr : &set.thresholds[t - 1];
    const PlanThreshold* behind = t == set.thresholds.size() ? nullptr : &set.thresholds[t];
    PlanStretch stretch{set.points[point].best,
                        before ? before->at : set.points.front().size,
                        behind ? behind->at : set.points.back().size,
                        {},
                        {},
                        0,
                        0};
    if (behind) stretch.up = behind->up;
    if (before) stretch.down = before->down;
    for (; point < set.points.size() && set.points[point].best == stretch.plan; ++point) {
      ++stretch.points;
      stretch.extrapolated += set.points[point].extrapolated ? 1 : 0;
    }
    stretches.push_back(stretch);
  }
  return stretches;
}

}  // namespace takt
