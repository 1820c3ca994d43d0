// The graph of a model that ran, level by level: operators of one level read none of each other's results.
#pragma once

#include <string>
#include <vector>

#include "report/page/page.h"

namespace takt {

/// Fills `level` and `on_chain` of steps whose `reads` name earlier ones. The chain is the one that takes longest; the
/// first of several. O(steps + reads).
void add_levels(std::vector<ReportStep>& steps);

/// "The longest chain of operators takes 2.13 of 2.86 ms; the widest level has 4"; empty: no operator reads another.
std::string levels_title(const std::vector<ReportStep>& steps);

}  // namespace takt
