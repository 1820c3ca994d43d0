#include "account/account.h"
#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/pipeline.h"
#include "cli/tables.h"
#include "trace/chrome_reader.h"

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
                   "along the critical path. The tables are those that 'takt pipeline run' printed.",
                   "takt pipeline analyze pipeline_trace.json --table devices --format csv", o.log);
  line.add({.names = "TRACE", .meaning = "A trace that 'takt pipeline run' wrote, also compressed", .required = true},
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
  const Accounts accounts = account(read_pipeline_run(read_chrome_trace(o.file).trace, o.file.string()));
  print(o.output, tables(accounts), provenance_of("pipeline analyze", arguments),
        o.output.format == "table" ? to_text(accounts, o.output.style()) : "");
  return 0;
}

}  // namespace takt
