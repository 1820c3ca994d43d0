// Costs on some of the units only: what a planner may use of what was measured.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plan/estimate/costs.h"

namespace takt {

/// `costs` with these units, in this order; it is kept. Throws Error(bad_input) for a unit that it does not have, for
/// one that is named twice, and for none.
std::shared_ptr<const PlanCosts> with_units(std::shared_ptr<const PlanCosts> costs,
                                            const std::vector<std::string>& units);

}  // namespace takt
