// Plans that are begun: the stages up to a front have their place. What may come next, and what no completion is below.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/basics/index.h"
#include "plan/search/bounds.h"
#include "plan/search/memory_bounds.h"
#include "plan/search/search.h"
#include "plan/search/share_trials.h"

namespace takt {

/// Blocks up to a front, the last of them on `team`; `before` is the number of what it extends, −1: nothing.
struct PartialPlan {
  std::int64_t bound = 0, sum = 0, slowest = 0;
  PlanFront front;
  Team team = 0;
  int blocks = 0, before = -1;
  bool extended = false;   ///< or, if it is complete, simulated
  bool tightened = false;  ///< the bound of a complete plan is the best that is known
  bool exact = true;       ///< no block's memory depends on shares
};

/// Whether the sum of times, and the slowest, are what any plan takes: parts do not slow each other down, and units
/// that serve several blocks have one batch only.
bool times_add_up(const PlanCosts& costs, const PlanSearchSettings& settings, std::int64_t batches);

/// Those of one search, by number. Not thread-safe.
class PartialPlans {
 public:
  /// `costs`, `choices` and `settings` must outlive this; `batches` are those of the objective.
  PartialPlans(const PlanCosts& costs, const PlanChoices& choices, const PlanSearchSettings& settings,
               std::int64_t batches);

  /// What every plan begins with; nullopt: no plan is possible.
  std::optional<PartialPlan> nothing() const;
  /// By every block that may come next, as far as their bounds are below `wanted`.
  std::vector<PartialPlan> extensions(int number, std::int64_t wanted);

  int add(const PartialPlan& plan);
  PartialPlan& operator[](int number) { return plans_[index(number)]; }
  const PartialPlan& operator[](int number) const { return plans_[index(number)]; }
  std::int64_t size() const { return static_cast<std::int64_t>(plans_.size()); }
  void clear() { plans_.clear(); }

  std::vector<TeamBlock> blocks_of(const PartialPlan& plan) const;
  /// The plan is complete. With the shares that PlanChoices knows best: nullopt: it keeps more than units have.
  std::optional<std::vector<PlacedBlock>> with_best_shares(const PartialPlan& plan);

  /// Bytes that its blocks keep at least, and with the best shares; all 0 where memory does not add up over blocks.
  MemoryBounds::Bytes least_kept(const PartialPlan& plan) const;
  MemoryBounds::Bytes kept_divided(const PartialPlan& plan);

  /// Whether the bound of a complete plan is its time, if it fits with its best shares.
  bool bound_is_value() const { return bound_is_value_; }
  bool memory_adds_up() const { return memory_.has_value(); }
  /// Makes bounds tighter where memory adds up; `enough`: the latency of a plan that fits, if one is known.
  void price_memory(std::optional<std::int64_t> enough);
  std::int64_t looked_at() const { return looked_at_; }
  const PlanBounds& bounds() const { return bounds_; }

 private:
  /// What the blocks so far keep and compute, by unit.
  struct Loads {
    MemoryBounds::Bytes kept{};
    std::array<std::int64_t, PlanChoices::most_units> work{};
  };
  Loads loads_of(const PartialPlan& plan) const;
  std::optional<PartialPlan> extended(int number, const Loads& loads, int last, Team team, std::int64_t wanted) const;
  std::int64_t busiest(Loads loads, StageSpan stages, Team team) const;

  const PlanCosts& costs_;
  const PlanChoices& choices_;
  const PlanSearchSettings& settings_;
  std::int64_t batches_;
  bool bound_is_value_;
  PlanBounds bounds_;
  std::optional<MemoryBounds> memory_;  ///< where it adds up over blocks
  std::deque<PartialPlan> plans_;       // a deque: nothing is copied as it grows
  std::int64_t looked_at_ = 0;
};

}  // namespace takt
