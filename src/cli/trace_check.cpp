#include <fmt/format.h>

#include <algorithm>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/trace.h"

namespace takt {

int run_trace_check(std::span<const std::string> arguments) {
  LogOptions log;
  OutputOptions output;
  std::vector<std::filesystem::path> files;
  TraceReadSettings settings;
  settings.find_overlaps = true;
  auto app = make_app("trace check",
                      "Names every fault of a trace that an importer would complain about, or break silently.\n"
                      "Exit code 1 if there are any.",
                      "takt trace check trace.json", log);
  app->add_option("FILE", files, "Trace files in Chrome's JSON format, also compressed")->required();
  app->add_option("--format", output.format, "table, csv, json or markdown. Default: table")->type_name("FORMAT");
  app->add_option("-o,--output", output.file, "Write the result to this file instead of stdout")->type_name("FILE");
  if (!parse(*app, arguments)) return 0;
  check(output, {"faults"});
  apply(log);
  const auto traces = read_traces(files, settings);
  std::vector<Table> tables{trace_faults_table(traces)};
  std::string text;
  for (const NamedTrace& named : traces) {
    if (named.read.faults.empty()) text += fmt::format("{}: no fault\n", named.file);
    for (const TraceFault& fault : named.read.faults) {
      text += fmt::format("{}: {}: {} time{}, first at {}\n  {}\n", named.file, name_of(fault.rule), fault.count,
                          fault.count == 1 ? "" : "s", fault.first, meaning_of(fault.rule));
    }
  }
  std::vector<std::string> command{"takt", "trace", "check"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  print(output, tables, make_provenance(std::move(command)), text);
  return tables.front().rows.empty() ? 0 : 1;
}

}  // namespace takt
