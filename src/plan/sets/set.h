// The best plans over a range of sizes, and when to change from one to another.
//
// Small inputs and large ones want different plans. A plan set holds as few as it takes to be nearly the best at every
// size that it was made for. Changing the plan costs time (what is in the pipeline runs out, weights are made ready),
// so a batch that another plan would serve a little better is no reason yet.
//
// A size has two numbers, a set one order: that of rows, nodes + edges, as a stage of a graph neural network moves a
// vector of features for every node or for every edge. The sizes of a set lie on a line that is straight between each
// two that follow each other; any other size stands for the one on the line with as many rows. Sizes that are far from
// the line (many more edges per node) may therefore get a plan that is not their best; `takt plan simulate` says what
// that costs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/estimate/cost_source.h"
#include "plan/estimate/size_line.h"
#include "plan/gnn/edge_list.h"
#include "plan/search/search.h"

namespace takt {

struct PlanSetSettings {
  PlanSearchSettings search{};
  Nanoseconds switch_cost{};  ///< of a change from one plan to another
  double tolerance = 0.01;    ///< by how much of its time the set's best plan may be behind the best there is
  /// Whether a plan's times at a size lie beyond what was measured; empty: never.
  std::function<bool(const Plan&, const GraphSize&)> extrapolated{};
};

/// Between two sizes that follow each other in the set the best plan changes. Sizes are on the line, rounded to whole
/// nodes and edges.
struct PlanThreshold {
  int below = 0, above = 0;  ///< plans, by number
  GraphSize at;              ///< the first size where `above` is the faster
  /// The first size where one batch gains by `above` what the switch costs, and the last where one gains as much by
  /// `below`: in between, the plan that runs stays until several batches have missed that much. nullopt: not reached
  /// at any size for which the set has that plan.
  std::optional<GraphSize> up, down;
};

struct PlanSet {
  /// Cost of one plan for a batch of one size: its latency, or its share of the stream's makespan. nullopt: not
  /// possible.
  using Cost = std::optional<Nanoseconds>;
  struct Point {
    GraphSize size;
    std::vector<Cost> costs;  ///< by plan
    int best = 0;
    Nanoseconds best_known{};   ///< of all plans there are, those that are not in the set among them
    bool extrapolated = false;  ///< the times of the best plan lie beyond the sizes that were measured
  };

  int stages = 0;
  std::vector<std::string> units;  ///< those that plans may name
  PlanObjective objective = PlanObjective::latency;
  std::int64_t batches = 1;  ///< of the streams that shares of makespans are of
  /// What plans may be: as in PlanSearchSettings.
  int steps = PlanSearchSettings{}.steps;
  bool divide = true, units_once = true;
  std::optional<int> most_blocks{};
  std::vector<Plan> plans;
  std::vector<Point> points;  ///< by rows, of which each has more than the one before
  std::vector<PlanThreshold> thresholds;
  Nanoseconds switch_cost{};
  double tolerance = 0;
  std::vector<CostFile> files;  ///< what it was made of

  /// What a batch of any size is expected to take.
  struct Expected {
    std::vector<Cost> costs;  ///< by plan, by rows between two points in proportion; nullopt where one of them has none
    int best = 0;             ///< the first of the cheapest
    bool extrapolated = false;  ///< beyond the points, or beside one that is
  };
  /// Beyond the points the line through the last two goes on, though no cost falls below 0; a plan that is not possible
  /// at the last point is not possible there. Throws Error(bad_input) where no plan is possible.
  Expected expected(const GraphSize& size) const;

  /// Returns the settings of a search for one more plan.
  PlanSearchSettings search() const;
};

/// Sizes that follow each other and have the same best plan.
struct PlanStretch {
  int plan = 0;
  GraphSize first, end;              ///< `end` is the first of the next stretch; of the last one, its last size
  std::optional<GraphSize> up;       ///< of the threshold behind it: see PlanThreshold
  std::optional<GraphSize> down;     ///< of the threshold before it
  int points = 0, extrapolated = 0;  ///< of the set in the stretch, and those of them that are extrapolated
};
std::vector<PlanStretch> stretches_of(const PlanSet& set);

/// Searches at every size. Throws Error(bad_input) without a size, for sizes whose rows do not grow, where costs are
/// not known, and where no plan is possible.
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
/// costs. (A change is never dearer than what was missed, as one rents skis until a pair could have been bought.)
///
/// Sizes that come in no order make that a bad bet: what was missed says nothing of what comes. So a change is made
/// only to the plan that would have been best for all batches so far, or if everything so far, the change included, is
/// then no dearer than that plan: changes beside it are paid from what changes have gained. With k changes the stream
/// is never dearer than under any single plan by more than 2k + 1 times the switch cost: between two changes batches
/// miss less than one. On streams that are not made against it, hardly ever by more than one
/// (tests/plan/search/plan_stream_test). Not thread-safe.
class PlanChooser {
 public:
  PlanChooser(std::size_t plans, Nanoseconds switch_cost)
      : missed_(plans), alone_(plans), switch_cost_(switch_cost.count()) {}

  /// For the next batch, which costs this much under each plan. Throws Error(bad_input) if it is possible under none.
  int choose(std::span<const PlanSet::Cost> costs);

 private:
  int worth_changing_to(const std::vector<std::int64_t>& costs) const;

  std::vector<std::int64_t> missed_;  ///< by plan: ns gained under it since the last change, or since that was 0
  std::vector<std::int64_t> alone_;   ///< by plan: ns of all batches so far under it
  std::int64_t so_far_ = 0;           ///< ns, changes included
  std::int64_t switch_cost_;
  int current_ = -1;
};

/// The stream as a chooser takes it, batch by batch.
SwitchedStream chosen_switching(const std::vector<std::vector<PlanSet::Cost>>& costs, Nanoseconds switch_cost);

}  // namespace takt
