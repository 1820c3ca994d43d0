// The costs of one size of graph, from what a sweep measured: what a planner asks src/plan/costs/lookup.h about.
//
// A unit's share of a batch is taken for a graph with that share of the nodes and edges; between twentieths the time is
// interpolated. A measured time begins and ends in host memory, and takt's pipelines pass tensors from stage to stage
// without a copy, so transfers take no time of their own. Who does copy them can have the copies counted that the sweep
// has measured, out of the one runtime's memory and into the other's; there are none on simulated devices and in files
// of other programs. What units do to each other is no part of a sweep: slow_downs.h adds it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/costs/lookup.h"
#include "plan/estimate/costs.h"

namespace takt {

struct MeasuredCostSettings {
  GraphSize size;
  std::optional<DivideCost> divide{};  ///< of any block; nullopt: not known, so that no block can be divided
  bool copies = false;                 ///< transfers are what copying between the runtimes was measured to take
  bool by_law = false;                 ///< CostLookup::cost_by_law(), so that costs of different sizes fit together
};

/// Returns the costs of the units that have a row in `lookup`, which is kept alive. Throws Error(bad_input) if there is
/// none.
std::shared_ptr<const PlanCosts> measured_costs(std::shared_ptr<const CostLookup> lookup,
                                                const MeasuredCostSettings& settings);

/// The same costs as they could come out if all were measured anew (src/plan/costs/errors.h): the `draw`th way, which
/// is always the same. Errors of a range on a unit are the same wherever it is asked for, so plans that have it in
/// common are wrong about it together; those of different ranges are independent. What copies take is not drawn.
class DrawnCosts {
 public:
  /// Keeps both; `costs` are measured_costs() of `lookup` at this size.
  DrawnCosts(std::shared_ptr<const PlanCosts> costs, const CostLookup& lookup, const GraphSize& size);
  std::shared_ptr<const PlanCosts> draw(std::uint64_t number) const;

  /// The blocks of the plan of whose times nothing tells how wrong they are, as extrapolated_blocks() names them.
  std::vector<std::string> blocks_without_errors(const Plan& plan) const;

  /// By range, those that are known.
  using Errors = std::map<UnitRange, CostErrors>;

 private:
  std::shared_ptr<const PlanCosts> costs_;
  std::shared_ptr<const Errors> errors_;
};

/// The blocks of the plan whose whole time lies beyond what was measured, as "stages 1-4 on GPU".
std::vector<std::string> extrapolated_blocks(const Plan& plan, const CostLookup& lookup, const GraphSize& size);

}  // namespace takt
