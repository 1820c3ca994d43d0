// Tables of `takt diagnose --show` about the program's work: passes, operators, modules, memory, matrix units.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/table/table.h"
#include "trace/read/tables.h"
#include "training/steps/activity.h"

namespace takt {

/// "phases", "operators", "modules", "memory", "matrix_units": the words of --show, which are the tables' names.
const std::vector<std::string>& work_table_names();

/// The table of that name with rows for each trace; `activities` are those of the traces. nullopt: another name.
std::optional<Table> work_table(std::string_view name, std::span<const NamedTrace> traces,
                                std::span<const Activity> activities);

std::vector<TableSchema> work_table_schemas();

/// What the rows of "memory" have in common, a sentence per memory.
std::string peak_sentences(const Table& memory);

/// What to record so that the table has rows; empty: every trace of a training has what it needs.
std::string_view what_to_record(std::string_view table);

}  // namespace takt
