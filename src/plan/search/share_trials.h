// Shares of divided blocks where blocks disturb each other: those at which the longest part is shortest need not be the
// best then, so others are simulated.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/search/choices.h"
#include "plan/search/share_box.h"

namespace takt {

/// A block without its shares.
struct TeamBlock {
  StageSpan stages;
  Team team = 0;
};

struct TriedPlan {
  std::int64_t value = PlanChoices::impossible;  ///< makespan in ns
  std::vector<PlacedBlock> blocks;               ///< empty: no shares were good enough
  bool all_tried = false;                        ///< no other shares can be better
};

/// What may be simulated before nothing more is.
struct SimulationLimits {
  std::int64_t plans = 0;
  std::int64_t executions = 0;  ///< batches × blocks, and four for each block whose time is looked up
};

class ShareTrials {
 public:
  /// `costs` and `choices` must outlive this. All divisions of a plan are tried, but for those that cannot be better,
  /// if that takes up to `most` simulations.
  ShareTrials(const PlanCosts& costs, const PlanChoices& choices, std::int64_t batches, int most,
              const SimulationLimits& limits)
      : costs_(costs), choices_(choices), batches_(batches), most_(most), limits_(limits) {}

  /// The best shares for these blocks with a makespan of less than `below`: of all, or of those on a grid of
  /// twentieths, the undisturbed optimum, and what lies around the best of these.
  TriedPlan best(const std::vector<TeamBlock>& blocks, std::int64_t below);

  /// Whatever their shares, as blocks on one or two units take least with those that choices know; 0 where one has
  /// more.
  std::int64_t least_makespan_of(const std::vector<TeamBlock>& plan) const;

  std::int64_t simulated() const { return simulated_; }
  /// A limit is reached: what has to be simulated is not tried any more.
  bool spent() const { return simulated_ > limits_.plans || executions_ > limits_.executions; }

 private:
  std::vector<PlacedBlock> placed_with(const ShareSteps& steps) const;
  bool try_steps(const ShareSteps& steps);
  bool try_grid(int every);
  bool try_boxes(const ShareSteps& near);
  void try_around_best();

  const PlanCosts& costs_;
  const PlanChoices& choices_;
  std::int64_t batches_;
  int most_;
  SimulationLimits limits_;
  std::int64_t simulated_ = 0, executions_ = 0;
  bool cut_short_ = false;       ///< best() left something out for the limits
  std::vector<TeamBlock> plan_;  ///< that best() is at
  ShareSteps best_steps_;
  TriedPlan best_;
};

}  // namespace takt
