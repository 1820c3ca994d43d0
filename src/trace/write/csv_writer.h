// A trace as CSV, for data frames: one line per event, then one per value of a counter.
#pragma once

#include <filesystem>

#include "trace/events/trace.h"

namespace takt {

/// Columns: process, pid, row, tid, name, category, start_ns, duration_ns, args (a JSON object; empty: none), kind
/// (span, instant or counter) and value (of a counter, which has no row, duration and args). In the order of the trace.
/// Compressed if the name ends in ".gz". Throws Error(io).
void write_trace_csv(const Trace& trace, const std::filesystem::path& path);

}  // namespace takt
