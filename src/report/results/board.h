// The board of a pipeline: each stage's load beside the beat of all, and what binds.
#pragma once

#include <optional>
#include <vector>

#include "report/page/page.h"

namespace takt {

/// Returns the board of the tables of `takt pipeline run`; nullopt where they have no loads of stages.
std::optional<ReportBoard> board_of(const std::vector<ReportTable>& tables);

/// The critical path as a bar that ends with the last delivery; no parts: the tables have none.
ReportBar bar_of_path(const std::vector<ReportTable>& tables);

}  // namespace takt
