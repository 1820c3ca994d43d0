// The tables of `takt trace`, each column with its meaning.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/table/table.h"
#include "trace/events/trace_read.h"

namespace takt {

struct NamedTrace {
  std::string file;
  TraceRead read;
};

Table trace_summary_table(std::span<const NamedTrace> traces);  ///< "summary": a row per file
Table gpu_time_table(std::span<const NamedTrace> traces);       ///< "gpu_time": a row per file and device
Table trace_rows_table(std::span<const NamedTrace> traces);     ///< "rows": a row per file and line of the trace
Table trace_faults_table(std::span<const NamedTrace> traces);   ///< "faults": a row per file and broken rule
std::vector<TableSchema> trace_info_schemas();                  ///< of the first three
TableSchema trace_faults_schema();

}  // namespace takt
