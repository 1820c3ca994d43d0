// What stands beside the times of a run: what the model was fed, what has to be known, every single run.
#pragma once

#include "base/table/table.h"
#include "measure/open/run_result.h"

namespace takt {

Table inputs_table(const RunResult& result);      ///< "inputs": a row per input of the model
Table notes_table(const RunResult& result);       ///< "notes": a row per sentence
Table iterations_table(const RunResult& result);  ///< "iterations": a row per measured run, pass after pass

std::vector<TableSchema> run_facts_schemas();

}  // namespace takt
