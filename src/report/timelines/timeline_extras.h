// What a timeline shows beside its spans: arrows between them, and counters.
#pragma once

#include "report/page/timeline_columns.h"
#include "trace/events/trace.h"

namespace takt {

/// Returns an arrow from each event that sends a flow to each that gets it, in the order of their times.
std::vector<ReportFlow> flows_of(const Trace& trace);

/// Returns the trace's counters, and the memory that a training held, by device, where its profiler recorded that; times
/// count from `begin_ns`, where earlier ones begin.
std::vector<ReportCounter> counters_of(const Trace& trace, std::int64_t begin_ns);

}  // namespace takt
