#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/trace.h"

namespace takt {

int run_trace_info(std::span<const std::string> arguments) {
  LogOptions log;
  OutputOptions output;
  std::vector<std::filesystem::path> files;
  TraceReadSettings settings;
  auto app = make_app("trace info", "Says what is in a trace, and how the time of each accelerator divides.",
                      "takt trace info trace.json.gz --format json", log);
  app->add_option("FILE", files, "Trace files in Chrome's JSON format, also compressed")->required();
  app->add_option("--threads", settings.threads, "Threads that read. Default: one per processor, at most 8")
      ->type_name("N")
      ->check(CLI::Range(1, 256));
  app->add_option("--format", output.format, "table, csv, json or markdown. Default: table")->type_name("FORMAT");
  app->add_option("--table", output.table, "Of CSV: summary, gpu_time or rows. Default: summary")->type_name("NAME");
  app->add_option("-o,--output", output.file, "Write the result to this file instead of stdout")->type_name("FILE");
  if (!parse(*app, arguments)) return 0;
  check(output, {"summary", "gpu_time", "rows"});
  apply(log);
  const auto traces = read_traces(files, settings);
  std::vector<Table> tables{trace_summary_table(traces), gpu_time_table(traces), trace_rows_table(traces)};
  std::string text;
  for (const Table& table :
       {some_columns(tables[0], {"file", "events", "rows", "duration_ns", "processes", "counters", "flows", "faults"}),
        some_columns(tables[1], {"file", "device", "kernels", "total_us", "idle_us", "compute_us", "non_compute_us"}),
        some_columns(tables[2], {"file", "process", "pid", "row", "tid", "events", "busy_us"})}) {
    if (!table.rows.empty()) text += (text.empty() ? "" : "\n") + to_text(table);
  }
  warn_of_faults(traces);
  std::vector<std::string> command{"takt", "trace", "info"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  print(output, tables, make_provenance(std::move(command)), text);
  return 0;
}

}  // namespace takt
