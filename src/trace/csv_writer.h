// Events of a trace as CSV, for data frames: one line per event.
#pragma once

#include <filesystem>

#include "trace/trace.h"

namespace takt {

/// Columns: process, pid, row, tid, name, category, start_ns, duration_ns, args (a JSON object; empty: none). In the
/// order of the trace. Compressed if the name ends in ".gz". Throws Error(io).
void write_trace_csv(const Trace& trace, const std::filesystem::path& path);

}  // namespace takt
