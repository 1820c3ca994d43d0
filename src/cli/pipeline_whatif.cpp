#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/pipeline.h"
#include "core/log.h"
#include "pipeline/interference_file.h"
#include "pipeline/what_if.h"
#include "trace/chrome_reader.h"

namespace takt {

int run_pipeline_whatif(std::span<const std::string> arguments) {
  LogOptions log;
  OutputOptions output;
  std::filesystem::path file;
  std::vector<std::string> set;
  std::string sweep;
  std::filesystem::path interference;
  auto app =
      make_app("pipeline whatif",
               "Says what a recorded pipeline would have done if something had been different: runs the times of "
               "its trace through the pipeline's rules once more. KNOB=VALUE is stage.NAME.time=x0.5 or =5ms, "
               "stage.NAME.replicas=2, stage.NAME.queue=4, stage.NAME.threads=2, stage.NAME.device=GPU, "
               "stage.NAME.ratio=0.7,0.3, device.NAME.requests=2, source.in_flight=8 or source.rate=50.",
               "takt pipeline whatif pipeline_trace.json --set stage.infer.time=x0.5", log);
  app->add_option("TRACE", file, "A trace that 'takt pipeline run' wrote, also compressed")->required();
  app->add_option("--set", set, "A change; several are made together, in this order")
      ->type_name("KNOB=VALUE")
      ->allow_extra_args(false);
  app->add_option("--sweep", sweep, "One row for each value from A to B, on top of the changes")
      ->type_name("KNOB=A:B:STEP");
  app->add_option(
         "--interference", interference,
         "Slow-downs that 'takt pipeline interference --save FILE' measured; without them, what the overlaps of "
         "the run itself show")
      ->type_name("FILE");
  app->add_option("--format", output.format, "table, csv, json or markdown. Default: table")->type_name("FORMAT");
  app->add_option("--table", output.table,
                  "Of CSV: summary, sweep, sensitivity, interference, extrapolated or cores. Default: summary")
      ->type_name("NAME");
  app->add_option("-o,--output", output.file, "Write the result to this file instead of stdout")->type_name("FILE");
  if (!parse(*app, arguments)) return 0;
  check(output, what_if_table_names());
  std::vector<PipelineChange> changes;
  for (const auto& text : set) changes.push_back(parse_change(text));
  const auto variants = sweep.empty() ? std::vector<PipelineChange>{} : parse_sweep(sweep);
  apply(log);
  const PipelineRun run = read_pipeline_run(read_chrome_trace(file).trace, file.string());
  const auto measured = interference.empty() ? std::vector<PairRow>{} : read_interference(interference);
  const WhatIf result = what_if(run, changes, variants, measured);
  if (result.refused_error && output.format != "table")
    log_warning("the measured slow-downs are left out: the replay of the record does not come out with them");
  std::vector<std::string> command{"takt", "pipeline", "whatif"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  print(output, tables(result), make_provenance(std::move(command)), to_text(result));
  return 0;
}

}  // namespace takt
