// Plans that are good though perhaps not the best, in little time: what a search can give up others by, and name when
// it ends early.
//
// Stage by stage only so many partial plans are kept that have come as far, those with the lowest bounds (beam search;
// Lowerre: The HARPY speech recognition system, 1976), and of several that have come there in the same time on the same
// units one.
#pragma once

#include "plan/search/found_plans.h"
#include "plan/search/partial_plans.h"

namespace takt {

class EarlyPlans {
 public:
  /// Both must outlive this. `plans` is as empty as before when find() is done.
  EarlyPlans(PartialPlans& plans, ShareTrials& trials, const PlanSearchSettings& settings, int stages)
      : plans_(plans), trials_(trials), settings_(settings), stages_(stages) {}

  void find(FoundPlans& found);

 private:
  using Level = std::vector<PartialPlan>;
  void thin_out(Level& level) const;
  void finish(Level complete, FoundPlans& found);

  PartialPlans& plans_;
  ShareTrials& trials_;
  const PlanSearchSettings& settings_;
  int stages_;
};

}  // namespace takt
