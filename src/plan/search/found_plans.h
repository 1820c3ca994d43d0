// The best plans that a search has found so far, and how it ended.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/search/choices.h"
#include "plan/search/search.h"

namespace takt {

struct FoundPlan {
  std::int64_t value = 0;  ///< of the objective, ns
  std::vector<PlacedBlock> blocks;
};

struct FoundPlans {
  int wanted = 1;               ///< plans
  std::vector<FoundPlan> best;  ///< the best first, no more than wanted, each with cuts and units of its own
  std::int64_t least = 0;       ///< no plan is below
  /// What was not tried is not below.
  std::int64_t untried = PlanChoices::impossible;
  std::int64_t looked_at = 0, simulated = 0;
  SearchEnd end = SearchEnd::complete;
  std::int64_t kept = 0, bytes = 0;  ///< partial plans that were kept at once, at most, and what they took

  /// What a plan must be below to be among the `most` best.
  std::int64_t worst_among(int most) const;
  /// Behind those that are as good: what was found first stays first. Of plans with the same cuts and units the best.
  void keep(FoundPlan found);
};

}  // namespace takt
