// The tables of `takt diagnose --show` (device_figures.h, work_tables.h) and of its --compare.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/table/table.h"
#include "training/diagnosis/diagnosis.h"

namespace takt {

/// The words of --show, which are the names of the tables: "temporal", "idle", "kernels", "launch", "overlap", "queue",
/// "path" (step_path.h), and those of work_tables.h.
const std::vector<std::string>& figure_names();

/// The tables of these names, in this order, with rows for each trace.
std::vector<Table> figure_tables(std::span<const NamedTrace> traces, std::span<const std::string> names);

/// "comparison": the mean step of two traces, activity by activity.
Table comparison_table(const Diagnosis& before, const Diagnosis& after);

std::vector<TableSchema> figure_schemas();  ///< of all of them

}  // namespace takt
