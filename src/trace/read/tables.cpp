#include "trace/read/tables.h"

#include <algorithm>
#include <optional>

#include "base/table/common_columns.h"
#include "trace/events/gpu_time.h"
#include "trace/events/intervals.h"
#include "trace/events/near_times.h"

namespace takt {
namespace {

struct SummaryRow {
  std::string file;
  std::int64_t events = 0, rows = 0, processes = 0, counters = 0, flows = 0, faults = 0;
  std::optional<std::int64_t> start_ns, duration_ns, base_ns;
};

struct GpuRow {
  std::string file;
  GpuTime time;
};

struct LineRow {
  std::string file, process, name;
  std::int64_t pid = 0, tid = 0, events = 0;
  Nanoseconds busy{};
  std::optional<std::int64_t> start_ns, end_ns;
};

struct FaultRow {
  std::string file;
  TraceFault fault;
};

constexpr ColumnText file = common::trace_file;
constexpr ColumnText events{
    "events", "Events",
    "Number of spans and instants, of the file or of one row; a begin and its end count as one event. Counters and "
    "names are not counted."};
constexpr ColumnText start_ns{
    "start_ns", "Start ns",
    "Start of the earliest event, of the file or of one row, in nanoseconds from the trace's base time."};

constexpr Column<SummaryRow> summary_columns[] = {
    {file, [](const SummaryRow& r) -> Cell { return r.file; }},
    {events, [](const SummaryRow& r) -> Cell { return r.events; }},
    {"rows", "Rows", [](const SummaryRow& r) -> Cell { return r.rows; },
     "Number of rows that have events: threads, device streams."},
    {start_ns, [](const SummaryRow& r) { return optional_cell(r.start_ns); }},
    {"duration_ns", "Duration ns", [](const SummaryRow& r) { return optional_cell(r.duration_ns); },
     "Time from the earliest event's start to the latest event's end, in nanoseconds; without events whose time is "
     "missing or lies far from all others'."},
    {"processes", "Processes", [](const SummaryRow& r) -> Cell { return r.processes; },
     "Number of processes; PyTorch traces also have one per device."},
    {"counters", "Counters", [](const SummaryRow& r) -> Cell { return r.counters; },
     "Number of values of all counters together."},
    {"flows", "Flow ends", [](const SummaryRow& r) -> Cell { return r.flows; },
     "Number of ends of flows between events; a flow has at least two."},
    {"base_ns", "Base time ns", [](const SummaryRow& r) { return optional_cell(r.base_ns); },
     "Time zero of the trace in nanoseconds since 1970; empty if the file does not report it."},
    {"faults", "Issues", [](const SummaryRow& r) -> Cell { return r.faults; },
     "Number of issues found while reading the file; 'takt trace check' lists them and checks for more."},
};

constexpr Column<GpuRow> gpu_columns[] = {
    {file, [](const GpuRow& r) -> Cell { return r.file; }},
    {common::device, [](const GpuRow& r) -> Cell { return r.time.device; }},
    {"kernels", "Kernels", [](const GpuRow& r) -> Cell { return r.time.events; },
     "Number of kernels, copies and fills that ran on the device, at a time that is known."},
    {common::total_us, [](const GpuRow& r) -> Cell { return Duration(r.time.total); }},
    {common::device_idle_us, [](const GpuRow& r) -> Cell { return Duration(r.time.idle); }},
    {common::device_compute_us, [](const GpuRow& r) -> Cell { return Duration(r.time.compute); }},
    {common::device_non_compute_us, [](const GpuRow& r) -> Cell { return Duration(r.time.non_compute); }},
};

constexpr Column<LineRow> line_columns[] = {
    {file, [](const LineRow& r) -> Cell { return r.file; }},
    {"process", "Process", [](const LineRow& r) -> Cell { return r.process; },
     "Name of the process that the row belongs to."},
    {"pid", "Pid", [](const LineRow& r) -> Cell { return r.pid; },
     "Number of the process in the trace; takt replaces a number that importers cannot use."},
    {"row", "Row", [](const LineRow& r) -> Cell { return r.name; },
     "Name of the row: a thread, or a stream of a device."},
    {"tid", "Tid", [](const LineRow& r) -> Cell { return r.tid; },
     "Number of the row in its process; takt replaces a number that importers cannot use."},
    {events, [](const LineRow& r) -> Cell { return r.events; }},
    {common::busy_us, [](const LineRow& r) -> Cell { return Duration(r.busy); }},
    {start_ns, [](const LineRow& r) { return optional_cell(r.start_ns); }},
    {"end_ns", "End ns", [](const LineRow& r) { return optional_cell(r.end_ns); },
     "End of the row's latest event, in nanoseconds from the trace's base time."},
};

constexpr Column<FaultRow> fault_columns[] = {
    {file, [](const FaultRow& r) -> Cell { return r.file; }},
    {"fault", "Issue", [](const FaultRow& r) -> Cell { return std::string(name_of(r.fault.rule)); },
     "Name of the rule that the file breaks."},
    {"grade", "Severity", [](const FaultRow& r) -> Cell { return std::string(name_of(grade_of(r.fault.rule))); },
     "An error is what Perfetto's reader reports as one, or a truncated file; a warning is legal but unusual, or "
     "silently ignored by importers; a note is not an issue of the file, but reports what takt skips."},
    {common::count, [](const FaultRow& r) -> Cell { return static_cast<std::int64_t>(r.fault.count); }},
    {"first", "First", [](const FaultRow& r) -> Cell { return r.fault.first; },
     "First place where the file breaks the rule: the byte of the (uncompressed) file, or row and time."},
    {common::meaning, [](const FaultRow& r) -> Cell { return std::string(meaning_of(r.fault.rule)); }},
};

constexpr TableDefinition<SummaryRow> summary_definition{"summary", "What is in a trace: a row per file.",
                                                         summary_columns};
constexpr TableDefinition<GpuRow> gpu_time_definition{
    "gpu_time", "Idle, compute and other time of each accelerator: a row per file and device that has events.",
    gpu_columns};
constexpr TableDefinition<LineRow> rows_of_trace{"rows", "The rows of a trace: a row per thread or stream.",
                                                 line_columns};
constexpr TableDefinition<FaultRow> faults_definition{
    "faults", "What importers would report, or mishandle silently: a row per file and broken rule.", fault_columns};

SummaryRow summary_of(const NamedTrace& named) {
  const Trace& trace = named.read.trace;
  SummaryRow row;
  row.file = named.file;
  row.events = static_cast<std::int64_t>(trace.events().size());
  row.processes = static_cast<std::int64_t>(trace.processes().size());
  row.counters = static_cast<std::int64_t>(trace.counters().size());
  row.flows = static_cast<std::int64_t>(trace.flows().size());
  for (const TraceFault& fault : named.read.faults) {
    if (grade_of(fault.rule) != FaultGrade::note) row.faults += static_cast<std::int64_t>(fault.count);
  }
  if (const auto base = trace.base_time()) row.base_ns = base->count();
  std::vector<bool> used(trace.rows().size());
  std::optional<std::int64_t> end;
  const NearTimes near = near_starts(trace.events());
  for (const TraceEvent& event : trace.events()) {
    used[static_cast<std::size_t>(event.row)] = true;
    if (!near.has(event.start_ns)) continue;
    row.start_ns = std::min(row.start_ns.value_or(event.start_ns), event.start_ns);
    const std::int64_t event_end = event.start_ns + std::max<std::int64_t>(event.duration_ns, 0);
    end = std::max(end.value_or(event_end), event_end);
  }
  row.rows = std::count(used.begin(), used.end(), true);
  if (end) row.duration_ns = *end - *row.start_ns;
  return row;
}

std::vector<LineRow> lines_of(const NamedTrace& named) {
  const Trace& trace = named.read.trace;
  std::vector<LineRow> lines(trace.rows().size());
  std::vector<std::vector<TimeInterval>> spans(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const TraceRow& row = trace.rows()[i];
    const TraceProcess& process = trace.processes()[static_cast<std::size_t>(row.process)];
    lines[i].file = named.file;
    lines[i].process = process.name;
    lines[i].name = row.name;
    lines[i].pid = process.pid;
    lines[i].tid = row.tid;
  }
  for (const TraceEvent& event : trace.events()) {
    const auto row = static_cast<std::size_t>(event.row);
    const TimeInterval span{event.start_ns, event.start_ns + std::max<std::int64_t>(event.duration_ns, 0)};
    ++lines[row].events;
    lines[row].start_ns = std::min(lines[row].start_ns.value_or(span.start), span.start);
    lines[row].end_ns = std::max(lines[row].end_ns.value_or(span.end), span.end);
    spans[row].push_back(span);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].busy = covered(std::move(spans[i]));
  return lines;
}

}  // namespace

Table trace_summary_table(std::span<const NamedTrace> traces) {
  std::vector<SummaryRow> rows;
  for (const NamedTrace& named : traces) rows.push_back(summary_of(named));
  return summary_definition.make(rows);
}

Table gpu_time_table(std::span<const NamedTrace> traces) {
  std::vector<GpuRow> rows;
  for (const NamedTrace& named : traces) {
    for (GpuTime& time : gpu_times(named.read.trace)) rows.push_back({named.file, std::move(time)});
  }
  return gpu_time_definition.make(rows);
}

Table trace_rows_table(std::span<const NamedTrace> traces) {
  std::vector<LineRow> rows;
  for (const NamedTrace& named : traces) {
    for (LineRow& line : lines_of(named)) rows.push_back(std::move(line));
  }
  return rows_of_trace.make(rows);
}

Table trace_faults_table(std::span<const NamedTrace> traces) {
  std::vector<FaultRow> rows;
  for (const NamedTrace& named : traces) {
    for (const TraceFault& fault : named.read.faults) rows.push_back({named.file, fault});
  }
  return faults_definition.make(rows);
}

std::vector<TableSchema> trace_info_schemas() {
  return {summary_definition.schema(), gpu_time_definition.schema(), rows_of_trace.schema()};
}

TableSchema trace_faults_schema() { return faults_definition.schema(); }

}  // namespace takt
