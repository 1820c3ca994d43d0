#include "trace/trace_tables.h"

#include <algorithm>
#include <optional>

#include "trace/gpu_time.h"
#include "trace/intervals.h"

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

constexpr Column<SummaryRow> summary_columns[] = {
    {"file", "File", [](const SummaryRow& r) -> Cell { return r.file; }, "The trace file."},
    {"events", "Events", [](const SummaryRow& r) -> Cell { return r.events; },
     "Spans of time and instants; a begin and its end are one event. Counters and names are not among them."},
    {"rows", "Rows", [](const SummaryRow& r) -> Cell { return r.rows; },
     "Lines of the trace that have events: threads, device streams."},
    {"start_ns", "Start ns", [](const SummaryRow& r) { return optional_cell(r.start_ns); },
     "The earliest event's start, in nanoseconds from the trace's base time."},
    {"duration_ns", "Duration ns", [](const SummaryRow& r) { return optional_cell(r.duration_ns); },
     "From the earliest event's start to the latest event's end, in nanoseconds."},
    {"processes", "Processes", [](const SummaryRow& r) -> Cell { return r.processes; },
     "Processes of the trace; PyTorch makes one of each device too."},
    {"counters", "Counters", [](const SummaryRow& r) -> Cell { return r.counters; }, "Values of all counters."},
    {"flows", "Arrow ends", [](const SummaryRow& r) -> Cell { return r.flows; },
     "Ends of arrows between events; an arrow has at least two."},
    {"base_ns", "Base time ns", [](const SummaryRow& r) { return optional_cell(r.base_ns); },
     "Time zero of the trace in nanoseconds since 1970; missing: the file does not tell."},
    {"faults", "Faults", [](const SummaryRow& r) -> Cell { return r.faults; },
     "Faults of the file that were seen while reading it; 'takt trace check' names them and looks for more."},
};

constexpr Column<GpuRow> gpu_columns[] = {
    {"file", "File", [](const GpuRow& r) -> Cell { return r.file; }, "The trace file."},
    {"device", "Device", [](const GpuRow& r) -> Cell { return r.time.device; },
     "The accelerator's number in the trace."},
    {"kernels", "Kernels", [](const GpuRow& r) -> Cell { return r.time.events; },
     "Kernels, copies and fills that ran on the device."},
    {"total_us", "Total", [](const GpuRow& r) -> Cell { return Duration(r.time.total); },
     "From the device's first event to the end of its last. idle + compute + non-compute, exactly."},
    {"idle_us", "Idle", [](const GpuRow& r) -> Cell { return Duration(r.time.idle); },
     "Time in which nothing ran on the device."},
    {"compute_us", "Compute", [](const GpuRow& r) -> Cell { return Duration(r.time.compute); },
     "Time in which at least one computing kernel ran; overlapping ones count once."},
    {"non_compute_us", "Non-compute", [](const GpuRow& r) -> Cell { return Duration(r.time.non_compute); },
     "Time in which only communication, copies or fills ran."},
};

constexpr Column<LineRow> line_columns[] = {
    {"file", "File", [](const LineRow& r) -> Cell { return r.file; }, "The trace file."},
    {"process", "Process", [](const LineRow& r) -> Cell { return r.process; }, "The process's name."},
    {"pid", "Pid", [](const LineRow& r) -> Cell { return r.pid; },
     "The process's number; one that importers cannot use was replaced."},
    {"row", "Row", [](const LineRow& r) -> Cell { return r.name; }, "The name of the thread or stream."},
    {"tid", "Tid", [](const LineRow& r) -> Cell { return r.tid; },
     "The row's number; one that importers cannot use was replaced."},
    {"events", "Events", [](const LineRow& r) -> Cell { return r.events; }, "Events of the row."},
    {"busy_us", "Busy", [](const LineRow& r) -> Cell { return Duration(r.busy); },
     "Time in which at least one of the row's events ran; nested and overlapping ones count once."},
    {"start_ns", "Start ns", [](const LineRow& r) { return optional_cell(r.start_ns); }, "Start of its first event."},
    {"end_ns", "End ns", [](const LineRow& r) { return optional_cell(r.end_ns); }, "End of its last event."},
};

constexpr Column<FaultRow> fault_columns[] = {
    {"file", "File", [](const FaultRow& r) -> Cell { return r.file; }, "The trace file."},
    {"fault", "Fault", [](const FaultRow& r) -> Cell { return std::string(name_of(r.fault.rule)); },
     "The rule that the file breaks."},
    {"count", "Count", [](const FaultRow& r) -> Cell { return static_cast<std::int64_t>(r.fault.count); },
     "How often the file breaks it."},
    {"first", "First", [](const FaultRow& r) -> Cell { return r.fault.first; },
     "Where it does so first: the byte of the (uncompressed) file, or row and time."},
    {"meaning", "What it means", [](const FaultRow& r) -> Cell { return std::string(meaning_of(r.fault.rule)); },
     "What the rule says and what importers do with such a file."},
};

SummaryRow summary_of(const NamedTrace& named) {
  const Trace& trace = named.read.trace;
  SummaryRow row;
  row.file = named.file;
  row.events = static_cast<std::int64_t>(trace.events().size());
  row.processes = static_cast<std::int64_t>(trace.processes().size());
  row.counters = static_cast<std::int64_t>(trace.counters().size());
  row.flows = static_cast<std::int64_t>(trace.flows().size());
  for (const TraceFault& fault : named.read.faults) row.faults += static_cast<std::int64_t>(fault.count);
  if (const auto base = trace.base_time()) row.base_ns = base->count();
  std::vector<bool> used(trace.rows().size());
  std::optional<std::int64_t> end;
  for (const TraceEvent& event : trace.events()) {
    used[static_cast<std::size_t>(event.row)] = true;
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

template <typename Row, std::size_t size>
void add_columns(const Column<Row> (&columns)[size], std::vector<ColumnInfo>& all) {
  for (const auto& column : columns) {
    all.push_back({std::string(column.name), std::string(column.title), std::string(column.meaning)});
  }
}

}  // namespace

Table trace_summary_table(std::span<const NamedTrace> traces) {
  std::vector<SummaryRow> rows;
  for (const NamedTrace& named : traces) rows.push_back(summary_of(named));
  return make_table<SummaryRow>("summary", summary_columns, rows);
}

Table gpu_time_table(std::span<const NamedTrace> traces) {
  std::vector<GpuRow> rows;
  for (const NamedTrace& named : traces) {
    for (GpuTime& time : gpu_times(named.read.trace)) rows.push_back({named.file, std::move(time)});
  }
  return make_table<GpuRow>("gpu_time", gpu_columns, rows);
}

Table trace_rows_table(std::span<const NamedTrace> traces) {
  std::vector<LineRow> rows;
  for (const NamedTrace& named : traces) {
    for (LineRow& line : lines_of(named)) rows.push_back(std::move(line));
  }
  return make_table<LineRow>("rows", line_columns, rows);
}

Table trace_faults_table(std::span<const NamedTrace> traces) {
  std::vector<FaultRow> rows;
  for (const NamedTrace& named : traces) {
    for (const TraceFault& fault : named.read.faults) rows.push_back({named.file, fault});
  }
  return make_table<FaultRow>("faults", fault_columns, rows);
}

std::vector<ColumnInfo> trace_columns() {
  std::vector<ColumnInfo> all;
  add_columns(summary_columns, all);
  add_columns(gpu_columns, all);
  add_columns(line_columns, all);
  add_columns(fault_columns, all);
  return all;
}

}  // namespace takt
