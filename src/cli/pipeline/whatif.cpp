#include <fmt/format.h>

#include "base/system/log.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "pipeline/contention/interference_file.h"
#include "pipeline/record/recorded_run.h"
#include "pipeline/whatif/what_if.h"

namespace takt {

namespace {

struct WhatIfOptions {
  std::filesystem::path file, interference;
  std::vector<std::string> set;
  std::string sweep;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(WhatIfOptions& o) {
  CommandLine line("pipeline whatif",
                   "Predicts what a recorded pipeline would have done with changes: replays the times of its trace "
                   "through the pipeline model. KNOB=VALUE is stage.NAME.time=x0.5 or =5ms, stage.NAME.replicas=2, "
                   "stage.NAME.queue=4, stage.NAME.threads=2, stage.NAME.device=GPU, stage.NAME.ratio=0.7,0.3, "
                   "device.NAME.requests=2, source.in_flight=8 or source.rate=50.",
                   "takt pipeline whatif pipeline_trace.json --set stage.infer.time=x0.5", o.log);
  line.add({.names = "TRACE",
            .meaning = "A trace of 'takt pipeline run', also compressed, or the journal of a run that was killed",
            .required = true},
           &o.file);
  line.add({.names = "--set",
            .value = "KNOB=VALUE",
            .meaning = "A change; several are applied together, and the last one of each knob counts"},
           &o.set);
  line.add(
      {.names = "--sweep",
       .value = "KNOB=A:B:STEP",
       .meaning = "One row for each value from A to B, together with the changes; it replaces one of the same knob: "
                  "stage.NAME.time=x0.5:x2:x0.5 or =10ms:20ms:5ms, stage.NAME.replicas=1:4:1, source.rate=50:100:10"},
      &o.sweep);
  line.add({.names = "--interference",
            .value = "FILE",
            .meaning = "Slowdowns that 'takt pipeline interference --save FILE' measured; by default, those that "
                       "overlaps in the run show"},
           &o.interference);
  add_output(line, o.output, table_names("pipeline whatif"));
  return line;
}

int run(WhatIfOptions& o, Arguments arguments) {
  std::vector<PipelineChange> changes;
  for (const auto& text : o.set) changes.push_back(parse_change(text));
  const auto variants = o.sweep.empty() ? std::vector<PipelineChange>{} : parse_sweep(o.sweep);
  const auto [run, notes] = read_recorded_run(o.file);
  for (const std::string& note : notes) log_warning(note);
  const auto measured = o.interference.empty() ? std::vector<PairRow>{} : read_interference(o.interference);
  const auto answers = o.interference.empty() ? std::nullopt : read_known_stages(o.interference);
  const WhatIf result = what_if(run, changes, variants, measured, answers ? &*answers : nullptr);
  if (result.refused_error && o.output.format != "table")
    log_warning("the measured slowdowns are ignored: with them, replaying the unchanged run does not reproduce it");
  if (const double error = result.summary.front().replay_error;
      error > reliable_replay_error && o.output.format != "table")
    log_warning(fmt::format("not reliable: replaying the unchanged run is off by {:.1f} %", error * 100));
  print(o.output, tables(result), provenance_of("pipeline whatif", arguments), to_text(result, o.output.style()));
  return 0;
}

}  // namespace

constinit const Command pipeline_whatif_command =
    command<WhatIfOptions, declare, run>("pipeline whatif", "predict what a recorded run would do with changes");

}  // namespace takt
