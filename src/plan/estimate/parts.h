// The units of a block with the shares that somebody wrote for them: what both forms of a plan are read with.
#pragma once

#include <string_view>
#include <vector>

#include "plan/estimate/plan.h"

namespace takt {

/// The block with these shares, one per unit; none at all is right for one unit. Throws Error(bad_input), "WHERE: …".
PlanBlock with_shares(PlanBlock block, const std::vector<double>& shares, std::string_view where);

}  // namespace takt
