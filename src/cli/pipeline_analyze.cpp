#include "pipeline/account/account.h"
#include "cli/line/command_line.h"
#include "cli/line/output.h"
#include "cli/pipeline.h"
#include "cli/pipeline/options.h"
#include "cli/line/tables.h"
#include "base/system/log.h"
#include "base/memory/spill.h"
#include "pipeline/record/recorded_run.h"

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
  line.add(
      {.names = "TRACE",
       .meaning = "A trace that 'takt pipeline run' wrote, the journal that it left when it was killed, or a trace of "
                  "any program whose events tell stage and batch",
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
  const Spill spill;
  RecordedRun recorded = read_recorded_run(o.file);
  for (const std::string& note : recorded.notes) log_warning(note);
  const Accounts accounts = account(recorded.run);
  recorded.run = {};
  print(o.output, printed(accounts, o.output, "pipeline analyze"), provenance_of("pipeline analyze", arguments),
        o.output.format == "table" ? to_text(accounts, o.output.style()) : "");
  return 0;
}

}  // namespace takt
