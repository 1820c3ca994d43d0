#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/pipeline.h"
#include "pipeline/account.h"
#include "trace/chrome_reader.h"

namespace takt {

int run_pipeline_analyze(std::span<const std::string> arguments) {
  LogOptions log;
  OutputOptions output;
  std::filesystem::path file;
  auto app =
      make_app("pipeline analyze",
               "Says from its trace alone where the time of a pipeline run went: per device, stage and batch, and "
               "along the critical path. The tables are those that 'takt pipeline run' printed.",
               "takt pipeline analyze pipeline_trace.json --table devices --format csv", log);
  app->add_option("TRACE", file, "A trace that 'takt pipeline run' wrote, also compressed")->required();
  app->add_option("--format", output.format, "table, csv, json or markdown. Default: table")->type_name("FORMAT");
  app->add_option("--table", output.table,
                  "Of CSV: summary, devices, stages, batches, parts, splits or critical_path. Default: summary")
      ->type_name("NAME");
  app->add_option("-o,--output", output.file, "Write the result to this file instead of stdout")->type_name("FILE");
  if (!parse(*app, arguments)) return 0;
  check(output, account_table_names());
  apply(log);
  const Accounts accounts = account(read_pipeline_run(read_chrome_trace(file).trace, file.string()));
  const auto list = tables(accounts);
  std::vector<std::string> command{"takt", "pipeline", "analyze"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  print(output, list, make_provenance(std::move(command)), output.format == "table" ? to_text(accounts) : "");
  return 0;
}

}  // namespace takt
