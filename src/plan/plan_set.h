// The best plans over a range of sizes, and when to change from one to another.
//
// Small inputs and large ones want different plans. A plan set holds as few as it takes to be nearly the best at every
// size that it was made for. Changing the plan costs time (what is in the pipeline runs out, weights are made ready),
// so a batch that another plan would serve a little better is no reason yet.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gnn/edge_list.h"
#include "plan/plan_search.h"

namespace takt {

/// The costs of a size; null: not known there. Asked for the same size again, it answers the same.
using CostsAt = std::function<std::shared_ptr<const PlanCosts>(const GraphSize&)>;

struct PlanSetSettings {
  PlanSearchSettings search;
  Nanoseconds switch_cost{};  ///< of a change from one plan to another
  double tolerance = 0.01;    ///< by how much of its time the set's best plan may be behind the best there is
};

/// Between two sizes that follow each other in the set the best plan changes. Sizes are on the straight line from one
/// to the other, rounded to whole nodes and edges.
struct PlanThreshold {
  int below = 0, above = 0;  ///< plans, by number
  GraphSize at;              ///< the first size where `above` is the faster
  /// The first size where one batch gains by `above` what the switch costs, and the last where one gains as much by
  /// `below`: in between, the plan that runs stays until several batches have missed that much. nullopt: not reached
  /// between the two sizes.
  std::optional<GraphSize> up, down;
};

struct PlanSet {
  /// Of one plan for a batch of one size: its latency, or its share of the stream's makespan. nullopt: not possible.
  using Cost = std::optional<Nanoseconds>;
  struct Point {
    GraphSize size;
    std::vector<Cost> costs;  ///< by plan
    int best = 0;
    Nanoseconds best_known{};  ///< of all plans there are, those that are not in the set among them
  };

  std::vector<Plan> plans;
  std::vector<Point> points;  ///< in the order of the sizes given
  std::vector<PlanThreshold> thresholds;
  Nanoseconds switch_cost{};
};

/// Searches at every size. Throws Error(bad_input) without a size, where costs are not known, and where no plan is
/// possible.
PlanSet compile_plan_set(const CostsAt& costs_at, const std::vector<GraphSize>& sizes, const PlanSetSettings& settings);

/// What one batch of a size takes under a plan, as in PlanSet::Point.
PlanSet::Cost cost_per_batch(const Plan& plan, const PlanCosts& costs, const PlanSearchSettings& settings);

/// Which plan each batch of a stream gets.
struct SwitchedStream {
  std::vector<int> plans;  ///< by batch
  Nanoseconds total{};     ///< costs of the batches and of the switches
  std::int64_t switches = 0;
};

/// The best there is for a stream that is known beforehand, `costs[batch][plan]`: never behind any single plan. Dynamic
/// programming over batches. Throws Error(bad_input) where a batch is possible under no plan.
SwitchedStream best_switching(const std::vector<std::vector<PlanSet::Cost>>& costs, Nanoseconds switch_cost);

/// Chooses batch by batch, where nothing is known of what comes: the first batch gets its best plan; later the plan
/// changes when batches since the last change, this one included, would have gained under another one what the change
/// costs. (A change is never dearer than what was missed, as one rents skis until a pair could have been bought.) Not
/// thread-safe.
class PlanChooser {
 public:
  PlanChooser(std::size_t plans, Nanoseconds switch_cost) : missed_(plans, 0), switch_cost_(switch_cost.count()) {}

  /// For the next batch, which costs this much under each plan. Throws Error(bad_input) if it is possible under none.
  int choose(std::span<const PlanSet::Cost> costs);

 private:
  std::vector<std::int64_t> missed_;  ///< by plan: ns gained under it since the last change, or since that was 0
  std::int64_t switch_cost_;
  int current_ = -1;
};

/// The stream as a chooser takes it, batch by batch.
SwitchedStream chosen_switching(const std::vector<std::vector<PlanSet::Cost>>& costs, Nanoseconds switch_cost);

}  // namespace takt
