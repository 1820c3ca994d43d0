// The tables of measured stages.
#pragma once

#include <vector>

#include "base/table/table.h"
#include "plan/sweep/journal.h"

namespace takt {

/// "summary", a row per network and unit; "stages", one per stage and unit; "measurements", every row.
std::vector<Table> sweep_tables(const SweepRecords& sweep);

/// Returns the schemas of all tables of `takt sweep`.
std::vector<TableSchema> sweep_schemas();

}  // namespace takt
