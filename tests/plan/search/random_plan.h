// Plans drawn at random, and all plans there are: what estimates and searches are held against.
#pragma once

#include <cstdint>
#include <functional>

#include "plan/estimate/costs.h"

namespace takt {

/// One that the costs allow, with every unit in one block if `once`.
Plan random_plan(std::uint64_t seed, const PlanCosts& costs, bool once);

/// Every plan with shares of multiples of 1/steps that the costs may allow; `visit` also gets the number of its cuts
/// and teams, which plans that differ in shares alone have in common.
void every_plan(const PlanCosts& costs, int steps, bool once,
                const std::function<void(const Plan& plan, std::uint64_t structure)>& visit);

}  // namespace takt
