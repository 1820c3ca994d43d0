// The tables of `takt scenario`.
#pragma once

#include <string>
#include <vector>

#include "base/table/table.h"
#include "training/scenario/metrics_file.h"
#include "training/scenario/top_operators.h"

namespace takt {

/// "scenario" (one row) and "top_operators".
std::vector<Table> scenario_tables(const ScenarioOutcome& outcome, const OperatorTimes& operators);
std::vector<TableSchema> scenario_schemas();

/// The two times, the key figures and the most expensive operators.
std::string scenario_text(const ScenarioOutcome& outcome, const OperatorTimes& operators, const TextStyle& style);

}  // namespace takt
