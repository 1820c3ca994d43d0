// The costs of one size of graph, from what a sweep measured: what a planner asks cost_lookup.h about.
//
// A unit's share of a batch is taken for a graph with that share of the nodes and edges; between twentieths the time is
// interpolated. A measured time begins and ends in host memory, so what moves a batch from unit to unit by way of the
// host is in it, and transfers have no time of their own. What units do to each other was not measured.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "costs/cost_lookup.h"
#include "plan/plan_costs.h"

namespace takt {

struct MeasuredCostSettings {
  GraphSize size;
  std::optional<DivideCost> divide{};  ///< of any block; nullopt: not known, so that no block can be divided
};

/// Of the units that have a row in `lookup`, which is kept. Throws Error(bad_input) where there is none.
std::shared_ptr<const PlanCosts> measured_costs(std::shared_ptr<const CostLookup> lookup,
                                                const MeasuredCostSettings& settings);

/// The blocks of the plan whose whole time lies beyond what was measured, as "stages 1-4 on GPU".
std::vector<std::string> extrapolated_blocks(const Plan& plan, const CostLookup& lookup, const GraphSize& size);

}  // namespace takt
