#include "plan/search/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/statistics/statistics.h"

namespace takt {
namespace {

/// Estimates one plan for one set of costs after another.
class Estimator {
 public:
  Estimator(const Plan& plan, const PlanCosts& costs, std::int64_t batches)
      : blocks_(placed(plan, costs)), batches_(batches) {}
  std::int64_t of(const PlanCosts& costs) const {
    return makespan_of(blocks_, times_of(blocks_, costs), costs, batches_).count();
  }

 private:
  std::vector<PlacedBlock> blocks_;
  std::int64_t batches_;
};

Nanoseconds rounded(double ns) { return Nanoseconds(std::llround(ns)); }

}  // namespace

PlanDifference compare_plans(const Plan& plan, const Plan& other, const PlanCosts& costs,
                             const std::optional<PlanCostSource::Draws>& draws, const PlanSearchSettings& search,
                             const PlanComparisonSettings& settings) {
  const std::int64_t batches = search.objective == PlanObjective::latency ? 1 : search.batches;
  const Estimator one(plan, costs, batches), two(other, costs, batches);
  PlanDifference difference{Nanoseconds(two.of(costs) - one.of(costs)), {}, ""};
  if (!draws) {
    difference.reason = "the costs have no confidence intervals";
    return difference;
  }
  for (const Plan& asked : {plan, other})
    if (const auto unknown = draws->unknown_blocks(asked); !unknown.empty()) {
      difference.reason = fmt::format(
          "the times of {} have no confidence intervals: they were measured without samples at too few sizes",
          fmt::join(unknown, ", "));
      return difference;
    }
  std::vector<double> saved;
  for (std::uint64_t draw = 0; draw < settings.draws; ++draw) {
    const auto drawn = draws->draw(settings.seed * 1'000'003 + draw);
    saved.push_back(static_cast<double>(two.of(*drawn) - one.of(*drawn)));
  }
  std::sort(saved.begin(), saved.end());
  difference.interval = {rounded(percentile(saved, 0.025)), rounded(percentile(saved, 0.975))};
  return difference;
}

}  // namespace takt
