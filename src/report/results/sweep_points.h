// The measured sizes of a sweep beside the laws that takt fits to them.
#pragma once

#include <vector>

#include "report/page/page.h"

namespace takt {

/// Returns the measured rows of single stages of the tables of `takt sweep`, in
/// their order, with the mean time that the law of their stage
/// and unit gives and its 90 % interval; none where a law needs more sizes.
std::vector<ReportPoint> sweep_points(const std::vector<ReportTable>& tables);

}  // namespace takt
