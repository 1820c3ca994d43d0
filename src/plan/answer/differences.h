// How sure it is that plans are better than the best on one unit: the table and the sentence of a search's report.
#pragma once

#include <string>

#include "plan/answer/tables.h"

namespace takt {

Table differences_table(const PlanReport& report);
TableSchema differences_schema();

/// Whether the best plan is better than the best on one unit, as a sentence; empty: there is none to hold it against.
std::string confidence_in(const PlanReport& report);

}  // namespace takt
