// What running plans showed, as tables and in sentences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/table.h"
#include "plan/plan_run.h"
#include "plan/plan_search.h"

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
  /// How much longer the named plan took than the one that was fastest by its mean, as a share of the latter; 0: it was
  /// the fastest. With the 95 % interval of that difference over rounds; missing with one round.
  double regret = 0;
  std::optional<Interval> regret_interval;
  std::optional<double>
      rank_correlation;  ///< Spearman's, between estimated and measured; missing of fewer than 3 plans
  /// How much longer the named plan took than the best on one unit, as a share of the latter; negative: it was faster.
  std::optional<double> over_single;
  std::optional<Interval> over_single_interval;
};

PlanChoice choice_of(const PlanRunReport& report);

/// plan_runs, plan_run_blocks, plan_choice.
std::vector<Table> plan_run_tables(const PlanRunReport& report);
std::vector<TableSchema> plan_run_schemas();
std::string to_text(const PlanRunReport& report, const TextStyle& style);

}  // namespace takt
