// How much blocks of a plan slow each other down, from what `takt pipeline interference` measured or predicted of a
// pipeline whose stages are named as units or blocks of plans: "GPU", "GPU[3]", "GPU[1-4]".
//
// Of two blocks that were measured as they are, the factor is that which was measured. Otherwise it follows from the
// stages and ranges inside of them that were: while the one block runs each of its stages for the stage's share of the
// time, so does the other, so the factor is 1 + Σ (f − 1) · share · share over the pairs, those that were not measured
// counting as 1. Failing that, that of the two units counts, and otherwise what the costs themselves say.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "plan/plan_costs.h"
#include "replay/interference.h"

namespace takt {

/// `costs`, which is kept, with these slow-downs; only significant ones count, as in law_of() there. Rows about units
/// that the costs do not have are left out. Throws Error(bad_input), "WHERE: …", for a stage's name that is no unit and
/// no block of stages that there are, and where a pair is there twice.
std::shared_ptr<const PlanCosts> with_slow_downs(std::shared_ptr<const PlanCosts> costs, std::span<const PairRow> pairs,
                                                 std::string_view where);

}  // namespace takt
