// Time and memory by the shapes of inputs that took turns.
#pragma once

#include <optional>

#include "base/table/table.h"
#include "measure/open/run_result.h"

namespace takt {

/// "shapes": a row per combination of shapes, in the order of their first turn, over the plain runs, without any over
/// the profiled ones. nullopt: all runs had inputs of one shape, or which run had which is not known (several at once).
std::optional<Table> shapes_table(const RunResult& result);
TableSchema shapes_schema();

}  // namespace takt
