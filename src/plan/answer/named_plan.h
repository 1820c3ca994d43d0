// A plan that a user names beside those that are searched.
#pragma once

#include <string>

#include "plan/answer/tables.h"

namespace takt {

/// `word`: one of named_plans(), in any case of letters; a plan as text ("CPU[1-4] | GPU[5-7]"); else a file in JSON.
/// The estimate is missing, with a reason, where these costs do not allow the plan. Throws Error(io, bad_input).
GivenPlan named_plan(const std::string& word, const PlanCosts& costs, std::int64_t batches);

}  // namespace takt
