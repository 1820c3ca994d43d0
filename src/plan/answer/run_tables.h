// What running plans showed, as tables and in sentences.
#pragma once

#include <string>
#include <vector>

#include "base/table/table.h"
#include "plan/answer/choice.h"

namespace takt {

/// plan_runs, plan_run_blocks, plan_choice.
std::vector<Table> plan_run_tables(const PlanRunReport& report);
std::vector<TableSchema> plan_run_schemas();
std::string to_text(const PlanRunReport& report, const TextStyle& style);

}  // namespace takt
