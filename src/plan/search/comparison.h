// Whether one plan is really faster than another, as far as the costs are known.
//
// The estimates of both are made many times with costs that are drawn as they could come out if they were measured
// anew (src/plan/costs/errors.h). Each draw has one error for each range of stages on a unit, used by both plans: what
// they have in common is not counted as a difference. The interval of the difference is that from the 2.5th to
// the 97.5th percentile of the draws: what the plans would be measured to take lies there in 95 % of repetitions.
// (Intervals of both plans' times, laid beside each other, would be too wide where they share blocks, and no interval
// of a difference where they do not.) The slowest block of a plan may be another one in other draws; that needs no
// formula.
//
// What it leaves out: that the law of the costs bends more than the rows around it show, copies, slow-downs, and that
// the best of many plans is more likely one whose costs came out too low.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plan/estimate/cost_source.h"
#include "plan/search/search.h"

namespace takt {

struct PlanDifference {
  Nanoseconds saved{};  ///< by the plan, in the objective of the search, for the costs as they are; negative: it loses
  struct Interval {
    Nanoseconds low{}, high{};  ///< 95 %
  };
  std::optional<Interval> interval;
  std::string reason;  ///< why there is no interval

  bool is_better() const { return interval && interval->low.count() > 0; }
  bool is_worse() const { return interval && interval->high.count() < 0; }
};

struct PlanComparisonSettings {
  std::uint64_t draws = 2000;
  std::uint64_t seed = 1;  ///< the same seed and costs give the same interval
};

/// By how much `plan` is ahead of `other`. `costs` are those that the search used; without `draws` there is no
/// interval. Throws Error(bad_input) where one of the plans is not possible.
PlanDifference compare_plans(const Plan& plan, const Plan& other, const PlanCosts& costs,
                             const std::optional<PlanCostSource::Draws>& draws, const PlanSearchSettings& search,
                             const PlanComparisonSettings& settings = {});

}  // namespace takt
