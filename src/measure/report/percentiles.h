// Percentiles of choice of a run's times.
#pragma once

#include <string_view>
#include <vector>

#include "base/table/table.h"
#include "measure/open/run_result.h"

namespace takt {

/// "50,95,99.9" → {50, 95, 99.9}. Throws UsageError for what is no number from 0 to 100, and for nothing.
std::vector<double> parse_percentiles(std::string_view text);

/// "percentiles": a row per pass and percentile.
Table percentiles_table(const RunResult& result, const std::vector<double>& percentiles);
TableSchema percentiles_schema();

}  // namespace takt
