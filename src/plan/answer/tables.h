// What a search for plans found, as tables and in sentences.
#pragma once

#include <string>
#include <vector>

#include "base/table/table.h"
#include "plan/search/comparison.h"

namespace takt {

/// A plan that somebody named, beside those that were found.
struct GivenPlan {
  std::string name;  ///< "PEP1", or empty
  Plan plan;
  std::optional<PlanEstimate> estimate;
  std::string reason;  ///< why there is no estimate
};

struct PlanReport {
  PlanObjective objective = PlanObjective::latency;
  std::int64_t batches = 0;
  std::vector<std::string> units;
  PlanSearch search;
  std::vector<GivenPlan> given;
  /// Of the best plan that was found, and by place in `given`, to the best on one unit; nullopt: it is that one, there
  /// is none, or the plan is not possible.
  std::optional<PlanDifference> best_difference;
  std::vector<std::optional<PlanDifference>> given_differences;
};

/// Fills in the differences.
void compare_with_single(PlanReport& report, const PlanCosts& costs, const std::optional<PlanCostSource::Draws>& draws,
                         const PlanSearchSettings& search);

/// The plans: those that were found, the best on one unit, those that were given. Then the blocks of the best, what
/// the search did, and how sure it is that plans are better than the best on one unit.
std::vector<Table> plan_tables(const PlanReport& report);
std::vector<TableSchema> plan_schemas();

/// The plans, the blocks of the best, how sure it is that there is none better, and that it is better than one unit.
std::string to_text(const PlanReport& report, const TextStyle& style);

/// Candidates without costs: a row for each.
Table candidates_table(const std::vector<Plan>& plans);

}  // namespace takt
