// The cuts of a model as a table.
#pragma once

#include <vector>

#include "base/table/table.h"
#include "model/cuts/cuts.h"

namespace takt {

/// A row per cut, in their order; `cuts` are some of find_cuts(graph).
Table cuts_table(const Graph& graph, const std::vector<Cut>& cuts);
TableSchema cuts_schema();

}  // namespace takt
