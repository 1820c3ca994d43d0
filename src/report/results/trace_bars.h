// What a training's trace is shown by beside its mean step: each step, each device, the kinds of its work, its matrix
// units.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/page/page.h"

namespace takt {

/// Returns the bars of the tables of `takt diagnose` with those of --show: views "steps" (the first forty), "gpu",
/// "work" and "units"; none of those whose tables are not there.
std::vector<ReportBar> bars_of_trace(const std::vector<ReportTable>& tables);

/// Names of ranks by what stands in the column "file"; empty: all rows are of one file.
std::map<std::string, std::string> ranks_of(const Table& table);

/// Their sentences, by view; of those bars.
std::vector<ReportTitle> titles_of_trace(const std::vector<ReportBar>& bars);

}  // namespace takt
