#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/memory/spill.h"
#include "base/system/busy.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/pipeline/options.h"
#include "cli/pipeline/recorded_batches.h"
#include "pipeline/account/account.h"
#include "pipeline/engine/engine.h"
#include "pipeline/engine/simulation.h"
#include "pipeline/record/pipeline_trace_file.h"
#include "report/results/what_if.h"

namespace takt {
namespace {

struct PipelineRunOptions {
  PipelineOptions pipeline;
  std::filesystem::path trace = "pipeline_trace.json";
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(PipelineRunOptions& o) {
  CommandLine line("pipeline run",
                   "Runs a streaming pipeline and shows where its time goes. Without a file, --simulate runs a "
                   "built-in pipeline of three stages.",
                   "takt pipeline run pipeline.yaml --batches 200", o.log);
  add_file_and_simulate(line, o.pipeline);
  line.add({.names = "--batches",
            .value = "N",
            .meaning = "Instead of the file's batches or duration",
            .range = NumberRange{1, 100'000'000}},
           &o.pipeline.batches);
  add_timeout(line, o.pipeline);
  line.add(
      {.names = "--trace",
       .value = "FILE",
       .meaning = "Write the run to this file, in Chrome's format; during the run, FILE.journal has it. '' writes none",
       .fallback = o.trace.string(),
       .makes = Makes::file,
       .beside = ".journal"},
      &o.trace);
  add_seed(line, o.pipeline);
  add_output(line, o.output, table_names("pipeline run"));
  add_report(line, o.output);
  return line;
}

PipelineOutcome run(const PipelineSpec& spec, const Interrupt& interrupt, BatchSink& batches) {
  Progress bar("batches");
  EngineSettings settings;
  settings.sink = &batches;
  settings.stop = &interrupt.requested();
  settings.progress = [&](std::int64_t done, std::int64_t total) {
    bar.update(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total));
  };
  return run_pipeline(spec, settings);
}

Provenance describe(const PipelineRun& run, const PipelineSpec& spec, std::span<const std::string> arguments) {
  Provenance provenance = provenance_of("pipeline run", arguments);
  provenance.settings = {{"pipeline", spec.name},
                         {"clock", run.virtual_clock ? "virtual" : "real"},
                         {"timeout_ns", std::to_string(spec.timeout.count())},
                         {"seed", std::to_string(spec.seed)}};
  return provenance;
}

/// A disk that filled up during the run has taken the first of its batches only.
std::string content_of_journal(const PipelineRun& run, const RecordedBatches& batches) {
  const auto all = static_cast<std::int64_t>(run.schedule.batches.size());
  const std::int64_t written = batches.batches_in_journal();
  return written < all ? fmt::format("{} of its {} batches are", written, all) : "the run is";
}

/// Returns why it could not be written. The journal is gone when all of it is in the trace, and not before.
std::optional<Error> write_run(const PipelineRun& run, const std::filesystem::path& path, RecordedBatches& batches) {
  try {
    write_pipeline_trace(run, path);
  } catch (const Error& error) {
    const auto journal = batches.journal();
    if (!journal) return error;
    return Error(error.kind(), fmt::format("{}; {} in '{}': 'takt pipeline analyze' reads it", error.what(),
                                           content_of_journal(run, batches), printable(journal->string())));
  }
  batches.remove();
  return std::nullopt;
}

/// What ended the run before its time, or nothing at all was delivered. What hangs in a runtime is left behind.
void check_end(const PipelineOutcome& outcome) {
  if (outcome.run.failure) throw Error(ErrorKind::runtime, *outcome.run.failure);
  if (!outcome.began) throw Error(ErrorKind::runtime, outcome.notes.back());
  if (outcome.abandoned) throw Error(ErrorKind::runtime, "an execution never returned");
  if (outcome.run.schedule.batches.empty())
    throw Error(ErrorKind::runtime, "no batch completed, so nothing was measured; let it run longer");
}

int run(PipelineRunOptions& o, Arguments arguments) {
  settle(o.pipeline);
  const PipelineSpec spec = spec_of(o.pipeline);
  if (auto warning = build_warning(); !warning.empty()) log_warning(warning);
  const Interrupt interrupt;
  const bool is_virtual = o.pipeline.clock == PipelineClock::virtual_time;
  RecordedBatches batches(o.trace,
                          [&](const PipelineRun& planned) { return to_json(describe(planned, spec, arguments)); });
  std::optional<Spill> spill;  // of what really runs only when it has ended: `batches` sees to that
  if (is_virtual) spill.emplace();
  BusyWatch watch;
  PipelineOutcome outcome = is_virtual ? PipelineOutcome{simulate_pipeline(spec), {}} : run(spec, interrupt, batches);
  interrupt.work_is_over();
  if (!is_virtual) watch.tell();
  if (!outcome.began) check_end(outcome);
  const Provenance provenance = describe(outcome.run, spec, arguments);
  outcome.run.provenance_json = to_json(provenance);
  const Accounts accounts = account(outcome.run);
  std::string text;
  for (const auto& note : outcome.notes) text += fmt::format("note  {}\n", note);
  if (!outcome.run.schedule.batches.empty()) text += to_text(accounts, o.output.style());
  std::optional<Error> unwritten;  // the tables are told all the same
  if (!o.trace.empty()) unwritten = write_run(outcome.run, o.trace, batches);
  if (!o.trace.empty() && !unwritten) {
    const std::string said = fmt::format("wrote trace {}", printable(o.trace.string()));
    if (o.output.is_text_on_screen())
      text += said + "\n";
    else
      log_info(said);
  }
  BesideTables beside;
  if (!o.output.report.empty()) beside = beside_tables(outcome.run, unwritten ? "" : o.trace.string());
  print(o.output, printed(accounts, o.output, "pipeline run"), provenance, text, std::move(beside));
  if (unwritten) throw *unwritten;
  check_end(outcome);
  return 0;
}

}  // namespace

constinit const Command pipeline_run_command = command<PipelineRunOptions, declare, run>(
    "pipeline run", "run or simulate a pipeline, and show where its time goes");

}  // namespace takt
