#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/trace/trace.h"

namespace takt {

namespace {

struct TraceInfoOptions {
  std::vector<std::filesystem::path> files;
  TraceReadSettings settings;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(TraceInfoOptions& o) {
  CommandLine line("trace info", "Shows what is in a trace, and how each accelerator spends its time.",
                   "takt trace info trace.json.gz --format json", o.log);
  line.add({.names = "FILE",
            .meaning = "Trace files in Chrome's JSON or Perfetto's protobuf, also compressed",
            .required = true},
           &o.files);
  add_reading_threads(line, o.settings);
  add_output(line, o.output, table_names("trace info"));
  return line;
}

int run(TraceInfoOptions& o, Arguments arguments) {
  const auto traces = read_traces(o.files, o.settings);
  std::vector<Table> tables{trace_summary_table(traces), gpu_time_table(traces), trace_rows_table(traces)};
  std::string text;
  for (const Table& table :
       {some_columns(table_named(tables, "summary"),
                     {"file", "events", "rows", "duration_ns", "processes", "counters", "flows", "faults"}),
        some_columns(table_named(tables, "gpu_time"),
                     {"file", "device", "kernels", "total_us", "idle_us", "compute_us", "non_compute_us"}),
        some_columns(table_named(tables, "rows"), {"file", "process", "pid", "row", "tid", "events", "busy_us"})}) {
    if (!table.rows.empty()) text += (text.empty() ? "" : "\n") + to_text(table, o.output.style());
  }
  warn_of_faults(traces);
  print(o.output, tables, provenance_of("trace info", arguments), text);
  return 0;
}

}  // namespace

constinit const Command trace_info_command =
    command<TraceInfoOptions, declare, run>("trace info", "show what is in a trace, and the time per device");

}  // namespace takt
