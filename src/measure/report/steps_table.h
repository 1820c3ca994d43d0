// Time by step of a model that keeps state from run to run.
#pragma once

#include <optional>

#include "base/table/table.h"
#include "measure/open/run_result.h"

namespace takt {

/// "steps": a row per step since the state was reset, over the plain runs, without any over the profiled ones. nullopt:
/// state was reset before every run, or there is none.
std::optional<Table> steps_table(const RunResult& result);
TableSchema steps_schema();

}  // namespace takt
