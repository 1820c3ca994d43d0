#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/memory/spill.h"
#include "base/system/log.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/pipeline/options.h"
#include "pipeline/account/account.h"
#include "pipeline/record/recorded_run.h"
#include "report/results/what_if.h"

namespace takt {

namespace {

struct PipelineAnalyzeOptions {
  std::filesystem::path file;
  std::optional<std::int64_t> warmup;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(PipelineAnalyzeOptions& o) {
  CommandLine line("pipeline analyze",
                   "Shows from a trace where the time of a pipeline run went: per device, stage and batch, and along "
                   "the critical path. The tables are those of 'takt pipeline run'. The trace may also come from your "
                   "own program (docs/using/library.md lists the events that it needs).",
                   "takt pipeline analyze pipeline_trace.json --table devices --format csv", o.log);
  line.add({.names = "TRACE",
            .meaning = "A trace of 'takt pipeline run', the journal of a run that was killed, or a trace of any "
                       "program whose events name stage and batch",
            .required = true},
           &o.file);
  line.add({.names = "--warmup-batches",
            .value = "N",
            .meaning = "Exclude the first N batches from all means, percentiles and periods. Default: as the run was "
                       "recorded; of another program's trace, its slow first batches",
            .range = NumberRange{0, 100'000'000}},
           &o.warmup);
  add_output(line, o.output, table_names("pipeline analyze"));
  add_report(line, o.output);
  return line;
}

int run(PipelineAnalyzeOptions& o, Arguments arguments) {
  const Spill spill;
  RecordedRun recorded = read_recorded_run(o.file);
  for (const std::string& note : recorded.notes) log_warning(note);
  if (o.warmup) recorded.run.warmup = *o.warmup;
  const Accounts accounts = account(recorded.run);
  BesideTables beside;
  if (!o.output.report.empty()) beside = beside_tables(recorded.run, o.file.string());
  recorded.run = {};
  print(o.output, printed(accounts, o.output, "pipeline analyze"), provenance_of("pipeline analyze", arguments),
        o.output.format == "table" ? to_text(accounts, o.output.style()) : "", std::move(beside));
  return 0;
}

}  // namespace

constinit const Command pipeline_analyze_command =
    command<PipelineAnalyzeOptions, declare, run>("pipeline analyze", "show where the time of a recorded run went");

}  // namespace takt
