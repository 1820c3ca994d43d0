#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/pipeline.h"
#include "cli/pipeline_options.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/progress.h"
#include "core/text.h"
#include "pipeline/account.h"
#include "pipeline/engine.h"
#include "pipeline/simulation.h"
#include "trace/chrome_writer.h"

namespace takt {
namespace {

struct PipelineRunOptions {
  PipelineOptions pipeline;
  std::filesystem::path trace = "pipeline_trace.json";
  OutputOptions output;
  LogOptions log;
};

std::unique_ptr<CLI::App> declare(PipelineRunOptions& o) {
  auto app = make_app("pipeline run",
                      "Runs a streaming pipeline and shows where its time goes. Without a file and with --simulate: a "
                      "built-in one of three stages.",
                      "takt pipeline run pipeline.yaml --batches 200", o.log);
  add_file_and_simulate(*app, o.pipeline);
  app->add_option("--batches", o.pipeline.batches, "Instead of the file's batches or duration")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000'000));
  add_timeout(*app, o.pipeline);
  app->add_option("--trace", o.trace,
                  "Write the run to this file, in Chrome's format; '' writes none. Default: pipeline_trace.json")
      ->type_name("FILE");
  add_seed(*app, o.pipeline);
  app->add_option("--format", o.output.format, "table, csv, json or markdown. Default: table")->type_name("FORMAT");
  app->add_option("--table", o.output.table,
                  "Of CSV: summary, devices, stages, batches, parts, splits or critical_path. Default: summary")
      ->type_name("NAME");
  app->add_option("-o,--output", o.output.file, "Write the result to this file instead of stdout")->type_name("FILE");
  return app;
}

PipelineOutcome run(const PipelineSpec& spec, PipelineClock clock, const Interrupt& interrupt) {
  if (clock == PipelineClock::virtual_time) return {simulate_pipeline(spec), {}, false};
  Progress bar("batches");
  EngineSettings settings;
  settings.stop = &interrupt.requested();
  settings.progress = [&](std::int64_t done, std::int64_t total) {
    bar.update(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total));
  };
  return run_pipeline(spec, settings);
}

Provenance describe(const PipelineRun& run, const PipelineSpec& spec, std::span<const std::string> arguments) {
  std::vector<std::string> command{"takt", "pipeline", "run"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Provenance provenance = make_provenance(std::move(command));
  for (const auto& device : run.devices) provenance.device += (provenance.device.empty() ? "" : ",") + device.name;
  provenance.settings = {{"pipeline", spec.name},
                         {"clock", run.virtual_clock ? "virtual" : "real"},
                         {"timeout_ns", std::to_string(spec.timeout.count())},
                         {"seed", std::to_string(spec.seed)}};
  return provenance;
}

}  // namespace

int run_pipeline_run(std::span<const std::string> arguments) {
  PipelineRunOptions o;
  auto app = declare(o);
  if (!parse(*app, arguments)) return 0;
  settle(*app, o.pipeline);
  check(o.output, account_table_names());
  apply(o.log);
  const PipelineSpec spec = spec_of(o.pipeline);
  if (auto warning = build_warning(); !warning.empty()) log_warning(warning);
  const Interrupt interrupt;
  PipelineOutcome outcome = run(spec, o.pipeline.clock, interrupt);
  const Provenance provenance = describe(outcome.run, spec, arguments);
  outcome.run.provenance_json = to_json(provenance);
  const Accounts accounts = account(outcome.run);
  std::string text;
  for (const auto& note : outcome.notes) text += fmt::format("note  {}\n", note);
  if (!outcome.run.schedule.batches.empty()) text += to_text(accounts);
  if (!o.trace.empty()) {
    write_chrome_trace(to_trace(outcome.run), o.trace);
    const std::string said = fmt::format("wrote trace {}", printable(o.trace.string()));
    if (o.output.format == "table" && o.output.file.empty())
      text += said + "\n";
    else
      log_info(said);
  }
  print(o.output, tables(accounts), provenance, text);
  if (outcome.abandoned) end_abandoned(outcome.run.failure.value_or("an execution never came back"));
  if (outcome.run.failure) throw Error(ErrorKind::runtime, *outcome.run.failure);
  return outcome.run.interrupted ? 130 : 0;
}

}  // namespace takt
