// Where the time went by type of operator: the first question of a network with a thousand of them.
#pragma once

#include <optional>

#include "base/table/table.h"
#include "measure/operators/op_profile.h"

namespace takt {

/// "types": the `top` with the largest typical time first (all: nullopt), the others as `[N other types]`, then
/// `[unattributed]`. Adds up to the measured time exactly.
Table types_table(const OpProfile& profile, std::optional<int> top);

TableSchema types_schema();

}  // namespace takt
