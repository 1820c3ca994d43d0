// The small vocabulary that tests of plans are written in.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/statistics/random.h"
#include "plan/estimate/cost_table.h"
#include "plan/estimate/slow_downs.h"

namespace takt {

/// Stages on units in order, in ns; below 0: it does not run there.
inline PlanCostTable costs_of(const std::vector<std::vector<std::int64_t>>& times, std::vector<std::string> units) {
  PlanCostTable costs(static_cast<int>(times.front().size()), std::move(units));
  for (std::size_t u = 0; u < times.size(); ++u)
    for (std::size_t s = 0; s < times[u].size(); ++s) {
      const int stage = static_cast<int>(s) + 1;
      if (times[u][s] >= 0) costs.set_time({stage, stage}, static_cast<int>(u), Nanoseconds(times[u][s]));
    }
  return costs;
}

struct RandomCosts {
  int stages = 7, units = 3;
  bool slow_downs = false;
  int refused_percent = 10;
};

/// Times of single stages, some of which do not run on some units, ranges that are faster than their stages, fixed
/// times that no share makes smaller, transfers and costs of dividing. Small numbers in every other table, for ties.
inline PlanCostTable random_costs(std::uint64_t seed, const RandomCosts& wanted = {}) {
  Random random(seed);
  const auto roll = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
  };
  const std::int64_t most = seed % 2 == 0 ? 20 : 1'000'000;
  std::vector<std::string> names;
  for (int u = 0; u < wanted.units; ++u) names.push_back("U" + std::to_string(u));
  PlanCostTable costs(wanted.stages, names);
  const auto set = [&](StageSpan span, int unit, std::int64_t longest) {
    const std::int64_t whole = roll(longest);
    costs.set_time(span, unit, Nanoseconds(whole), Nanoseconds(roll(whole) / 4));
  };
  for (int unit = 0; unit < wanted.units; ++unit) {
    const std::int64_t speed = 1 + roll(3);
    // The last unit runs everything, so that there is a plan.
    for (int stage = 1; stage <= wanted.stages; ++stage)
      if (unit == wanted.units - 1 || roll(99) >= wanted.refused_percent) set({stage, stage}, unit, most / speed);
    for (int first = 1; first < wanted.stages; ++first)
      for (int last = first + 1; last <= wanted.stages; ++last)
        if (roll(99) < 30 && costs.time({first, last}, unit, 1))
          set({first, last}, unit, costs.time({first, last}, unit, 1)->count());
    for (int beside = 0; beside < wanted.units; ++beside)
      if (wanted.slow_downs && beside != unit)
        costs.set_slow_down(unit, beside, 1 + static_cast<double>(roll(50)) / 100);
  }
  const bool moves = roll(99) < 70;
  for (int cut = 0; cut <= wanted.stages && moves; ++cut)
    for (int from = PlanCosts::host; from < wanted.units; ++from)
      for (int to = PlanCosts::host; to < wanted.units; ++to)
        if (from != to) costs.set_transfer(cut, from, to, Nanoseconds(roll(most / 4)));
  costs.set_divide({Nanoseconds(roll(most / 10)), Nanoseconds(roll(most / 10))});
  return costs;
}

/// As long as `wanted` and what others want of a resource leave it, in proportion: levels of a load from 0.1 to 1.
inline StageContention wants(double wanted) {
  std::vector<double> levels, slow_downs;
  for (int k = 1; k <= 10; ++k) levels.push_back(k / 10.0), slow_downs.push_back(std::max(1.0, wanted + k / 10.0));
  return {{SlowDownCurve(levels, slow_downs)}, {wanted}, 1};
}

/// What single stages on units want of one resource, by chance, and what each two do to each other by it.
inline std::shared_ptr<const PlanCosts> with_random_wants(const PlanCostTable& costs, std::uint64_t seed) {
  Random random(seed ^ 0x3a9e);
  KnownStages known{{}, {"memory"}, {}};
  for (const std::string& unit : costs.units())
    for (int stage = 1; stage <= costs.stages(); ++stage) {
      known.stages.push_back(unit + "[" + std::to_string(stage) + "]");
      known.contentions.push_back(wants(static_cast<double>(random() % 100) / 100));
    }
  std::vector<PairRow> pairs;
  for (const std::string& stage : known.stages)
    for (const std::string& beside : known.stages) {
      PairRow& row = pairs.emplace_back();
      row.stage = stage, row.beside = beside;
      row.factor = known.slow_down(stage, beside);
      row.significant = *row.factor > 1;
    }
  return with_slow_downs(std::make_shared<PlanCostTable>(costs), pairs, "pairs", &known);
}

}  // namespace takt
