// The search of src/plan/search/search.h: which partial plan is extended next, which are given up, and when it ends.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/search/found_plans.h"
#include "plan/search/partial_plans.h"
#include "plan/search/passed_plans.h"
#include "plan/search/share_trials.h"

namespace takt {

/// One search. Not thread-safe.
class BestFirst {
 public:
  /// `costs`, `choices` and `settings` must outlive this; `batches` are those of the objective.
  BestFirst(const PlanCosts& costs, const PlanChoices& choices, const PlanSearchSettings& settings,
            std::int64_t batches);

  /// To be called once, with what searches among some of the plans have found.
  FoundPlans run(FoundPlans found);

 private:
  std::int64_t worst_wanted() const { return found_.worst_among(settings_.top); }
  bool is_hard() const;
  void begin();
  void find_early_plans();
  SearchEnd limit_reached() const;
  std::int64_t bytes() const;
  void extend(int number);
  bool is_among_the_shortest(const PartialPlan& plan);
  bool is_dominated(const PartialPlan& plan);
  void finish(int number);
  void simulate_shares(const PartialPlan& plan);
  bool is_later(int a, int b) const;
  void open(int number);
  int pop();

  const PlanCosts& costs_;
  const PlanChoices& choices_;
  const PlanSearchSettings& settings_;
  std::int64_t batches_;
  PartialPlans plans_;
  ShareTrials trials_;
  FoundPlans found_;
  bool sums_decide_;       ///< what a plan has taken so far, and what its units keep, are all that counts for it
  std::vector<int> open_;  ///< numbers, a heap by bound
  PassedPlans passed_;     ///< what was extended; only where the bound is the value
};

}  // namespace takt
