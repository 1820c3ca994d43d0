// The bars that add up: which tables of a result hold parts of a time, and which colour each part has.
#pragma once

#include <vector>

#include "report/page/page.h"

namespace takt {

/// Returns the bars of a command's tables ("run": types of operators; "pipeline run": a bar per device; "diagnose": the
/// activities of a mean step, a bar per trace; "predict": kernels by name, and what the load adds); none where they hold
/// no parts of one time. Parts that measured nothing stay: the legend says 0.
std::vector<ReportBar> bars_of(const std::vector<ReportTable>& tables);

/// Types of operators, largest first, and, where `mean_run` is known and longer, [unattributed] up to it.
ReportBar bar_of_operators(const Table& operators, std::optional<Duration> mean_run);

}  // namespace takt
