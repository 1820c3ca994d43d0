#include <fmt/format.h>

#include "account/account.h"
#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/pipeline.h"
#include "cli/tables.h"
#include "core/log.h"
#include "core/text.h"
#include "record/stage_events.h"
#include "trace/trace_reader.h"

namespace takt {

namespace {

struct PipelineAnalyzeOptions {
  std::filesystem::path file;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(PipelineAnalyzeOptions& o) {
  CommandLine line("pipeline analyze",
                   "Says from its trace alone where the time of a pipeline run went: per device, stage and batch, and "
                   "along the critical path. The tables are those that 'takt pipeline run' printed. The trace may also "
                   "be of your own program (docs/library.md says what its events must tell).",
                   "takt pipeline analyze pipeline_trace.json --table devices --format csv", o.log);
  line.add({.names = "TRACE",
            .meaning = "A trace that 'takt pipeline run' wrote, or of any program whose events tell stage and batch",
            .required = true},
           &o.file);
  add_output(line, o.output, table_names("pipeline analyze"));
  return line;
}

}  // namespace

CommandDescription describe_pipeline_analyze() {
  PipelineAnalyzeOptions o;
  return declare(o).description();
}

int run_pipeline_analyze(std::span<const std::string> arguments) {
  PipelineAnalyzeOptions o;
  if (!declare(o).parse(arguments)) return 0;
  const TraceRead read = read_trace(o.file);
  for (const TraceFault& fault : read.faults)  // others change how a trace looks, these what it says of the time
    if (fault.rule == TraceRule::dropped_events || fault.rule == TraceRule::recording_cut)
      log_warning(fmt::format("{}: {} ({}): {}", printable(o.file.string()), name_of(fault.rule), fault.count,
                              meaning_of(fault.rule)));
  const StageEventsRun found = read_any_pipeline(read.trace, o.file.string());
  if (found.unfinished > 0)
    log_warning(fmt::format("{}: {} batch{} not in every stage and left out", printable(o.file.string()),
                            found.unfinished, found.unfinished == 1 ? " was" : "es were"));
  const Accounts accounts = account(found.run);
  print(o.output, tables(accounts), provenance_of("pipeline analyze", arguments),
        o.output.format == "table" ? to_text(accounts, o.output.style()) : "");
  return 0;
}

}  // namespace takt
