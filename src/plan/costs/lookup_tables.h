// The table of `takt lookup`.
#pragma once

#include <vector>

#include "base/table/table.h"
#include "plan/costs/lookup.h"

namespace takt {

/// What a range costs on a unit, as it is printed.
struct AnsweredCost {
  Network network = Network::sage;
  UnitRange range;
  CostAnswer answer;
};

Table costs_table(const std::vector<AnsweredCost>& costs);
TableSchema costs_schema();

}  // namespace takt
