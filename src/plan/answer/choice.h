// How well estimates chose among plans that were really run.
#pragma once

#include <optional>
#include <vector>

#include "base/statistics/statistics.h"
#include "plan/run/run.h"
#include "plan/search/search.h"

namespace takt {

struct PlanRunReport {
  PlanObjective objective = PlanObjective::latency;
  std::int64_t batches = 0;
  std::vector<PlanRunResult> plans;  ///< the first is the one that the search names
};

/// How well the estimates chose among the plans that were run.
struct PlanChoice {
  std::int64_t plans = 0, rounds = 0;
  double mean_error = 0;  ///< mean of |estimated − measured| / measured over the plans
  /// What all plans have in common: the median of measured / estimated − 1, and the mean error of estimates that are
  /// right in this. A machine whose pace has changed since the costs were measured moves the first and not the second.
  /// Missing of fewer than 3 plans.
  std::optional<double> common_error, other_error;
  /// How much longer the named plan took than the one that was fastest by its mean, as a share of the latter; 0: it was
  /// the fastest. A plan whose numbers are wrong is none. With the 95 % interval of that difference over rounds;
  /// missing with one round.
  double regret = 0;
  std::optional<Interval> regret_interval;
  std::optional<double>
      rank_correlation;  ///< Spearman's, between estimated and measured; missing of fewer than 3 plans
  /// How much longer the named plan took than the best on one unit, as a share of the latter; negative: it was faster.
  /// Missing where that one's numbers are wrong.
  std::optional<double> over_single;
  std::optional<Interval> over_single_interval;
};

PlanChoice choice_of(const PlanRunReport& report);

/// The plan with the least measured mean among those whose outputs are not wrong; the first if all are wrong.
const PlanRunResult& fastest_plan(const PlanRunReport& report);

inline constexpr double confidence_of_choice = 0.95;  ///< of all intervals here

/// In ns, round by round: latency or makespan, whichever the search wanted short.
std::vector<double> measured_values(const PlanRunReport& report, const PlanRunResult& plan);
double measured_value(const PlanRunReport& report, const PlanRunResult& plan);  ///< their mean
/// What was expected before anything ran, in ns.
double estimated_value(const PlanRunReport& report, const PlanRunResult& plan);
/// Student's, of the mean; nullopt of one value.
std::optional<Interval> mean_interval(const std::vector<double>& values);

}  // namespace takt
