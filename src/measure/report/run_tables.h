// The tables of `takt run`; each column stands in the .cpp with its meaning, which is what `takt explain` prints.
#pragma once

#include <vector>

#include "base/table/table.h"
#include "measure/open/fitting.h"
#include "measure/open/run_result.h"

namespace takt {

/// "summary": a row per pass, the plain one first. Plain and profiled runs are never mixed.
Table summary_table(const RunResult& result);

/// One row per instance of a run with several.
Table instances_table(const RunResult& result);

/// What --fitting tried.
Table fitting_table(const FitResult& fit);

/// Every table of `run`, for `takt explain` and the documentation.
std::vector<TableSchema> run_schemas();

}  // namespace takt
