#include <fmt/format.h>

#include <algorithm>

#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/trace/trace.h"

namespace takt {

namespace {

struct TraceCheckOptions {
  std::vector<std::filesystem::path> files;
  std::string fail_on = std::string(name_of(FaultGrade::error));
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(TraceCheckOptions& o) {
  CommandLine line(
      "trace check",
      "Lists faults of a trace that make an importer complain or silently show wrong data. An error is what Perfetto's "
      "reader reports as one, or a truncated file; a warning is valid but unusual. Exits with 1 if there are errors.",
      "takt trace check trace.json", o.log);
  line.add({.names = "FILE",
            .meaning = "Trace files in Chrome's JSON or Perfetto's protobuf, also compressed",
            .required = true},
           &o.files);
  line.add({.names = "--fail-on",
            .value = "GRADE",
            .meaning = "Exit with 1 for faults of this grade or worse",
            .fallback = "error",
            .one_of = {std::string(name_of(FaultGrade::error)), std::string(name_of(FaultGrade::warning))}},
           &o.fail_on);
  add_output(line, o.output, table_names("trace check"));
  return line;
}

int run(TraceCheckOptions& o, Arguments arguments) {
  TraceReadSettings settings;
  settings.find_overlaps = settings.checks_json = true;
  const auto traces = read_traces(o.files, settings);
  std::vector<Table> tables{trace_faults_table(traces)};
  std::string text;
  for (const NamedTrace& named : traces) {
    if (named.read.faults.empty()) text += fmt::format("{}: no fault\n", named.file);
    for (const TraceFault& fault : named.read.faults) {
      text += fmt::format("{}: {}: {}: {} time{}, first at {}\n  {}\n", named.file, name_of(grade_of(fault.rule)),
                          name_of(fault.rule), fault.count, fault.count == 1 ? "" : "s", fault.first,
                          meaning_of(fault.rule));
    }
  }
  print(o.output, tables, provenance_of("trace check", arguments), text);
  const bool fails_on_warning = o.fail_on == name_of(FaultGrade::warning);
  const auto fails = [&](const NamedTrace& named) {
    return std::any_of(named.read.faults.begin(), named.read.faults.end(), [&](const TraceFault& fault) {
      return grade_of(fault.rule) >= (fails_on_warning ? FaultGrade::warning : FaultGrade::error);
    });
  };
  return std::any_of(traces.begin(), traces.end(), fails) ? 1 : 0;
}

}  // namespace

constinit const Command trace_check_command =
    command<TraceCheckOptions, declare, run>("trace check", "list faults that importers of the trace would report");

}  // namespace takt
