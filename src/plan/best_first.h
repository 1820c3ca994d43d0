// The search of plan_search.h: which partial plan is extended next, which are given up, and when it ends.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "plan/plan_bounds.h"
#include "plan/plan_search.h"
#include "plan/share_trials.h"

namespace takt {

struct FoundPlan {
  std::int64_t value = 0;  ///< of the objective, ns
  std::vector<PlacedBlock> blocks;
};

struct FoundPlans {
  std::vector<FoundPlan> best;  ///< the best first, no more than wanted; empty: none is possible
  /// What was not tried is not below.
  std::int64_t untried = PlanChoices::impossible;
  std::int64_t looked_at = 0, simulated = 0;
};

/// One search. Not thread-safe.
class BestFirst {
 public:
  /// `costs`, `choices` and `settings` must outlive this; `batches` are those of the objective.
  BestFirst(const PlanCosts& costs, const PlanChoices& choices, const PlanSearchSettings& settings,
            std::int64_t batches);

  /// To be called once.
  FoundPlans run();

 private:
  /// Blocks up to a front, the last of them on `team`; `before` is what it extends, −1: nothing.
  struct PartialPlan {
    std::int64_t bound = 0, sum = 0, slowest = 0;
    PlanFront front;
    Team team = 0;
    int blocks = 0, before = -1;
    bool extended = false;   ///< or, if it is complete, simulated
    bool tightened = false;  ///< the bound of a complete plan is the best that is known
  };
  using Loads = std::array<std::int64_t, PlanChoices::most_units>;
  struct Passed {
    std::int64_t sum, slowest;
    int blocks;
  };

  bool memory_is_limited() const;
  std::int64_t worst_wanted() const;
  bool spent() const;
  void dive(int number);
  void extend(int number);
  void consider(int before, int last, Team team);
  std::int64_t bound_of(const PartialPlan& plan, const Loads& loads) const;
  bool is_dominated(const PartialPlan& plan);
  std::vector<TeamBlock> blocks_of(const PartialPlan& plan) const;
  void keep(FoundPlan found);
  void finish(int number);
  void simulate_shares(const PartialPlan& plan);
  bool is_later(int a, int b) const;
  void push(const PartialPlan& plan, const Loads& loads);
  void open(int number);
  int pop();

  const PlanCosts& costs_;
  const PlanChoices& choices_;
  const PlanSearchSettings& settings_;
  std::int64_t batches_;
  PlanBounds bounds_;
  ShareTrials trials_;
  bool bound_is_value_;  ///< of complete plans
  FoundPlans found_;
  std::vector<PartialPlan> plans_;           ///< all that were kept, by number
  std::vector<Loads> loads_;                 ///< by number: of each unit; only where units serve several blocks
  std::vector<int> open_;                    ///< numbers, a heap by bound
  std::vector<std::vector<Passed>> passed_;  ///< by front: what was extended; only where the bound is the value
};

}  // namespace takt
