#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/pipeline.h"
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

enum class Clock { as_described, virtual_time, real_time };

struct PipelineRunOptions {
  std::filesystem::path file;
  std::vector<std::string> simulate;
  bool simulated = false;
  Clock clock = Clock::as_described;
  std::optional<std::int64_t> batches;
  std::string timeout;
  std::filesystem::path trace = "pipeline_trace.json";
  std::optional<std::uint64_t> seed;
  OutputOptions output;
  LogOptions log;
};

std::unique_ptr<CLI::App> declare(PipelineRunOptions& o) {
  auto app = make_app("pipeline run",
                      "Runs a streaming pipeline and shows where its time goes. Without a file and with --simulate: a "
                      "built-in one of three stages.",
                      "takt pipeline run pipeline.yaml --batches 200", o.log);
  app->add_option("FILE", o.file, "The pipeline, a YAML file (docs/formats.md)");
  app->add_option("--simulate", o.simulate,
                  "Every device becomes a simulated one. On the virtual clock the whole run is there at once; in real "
                  "time it takes as long as it would. Default: virtual")
      ->type_name("[virtual|real]")
      ->expected(0, 1);
  app->add_option("--batches", o.batches, "Instead of the file's batches or duration")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000'000));
  app->add_option("--timeout", o.timeout, "One execution may take this long, as in 30s. Default: the file's, or 60s")
      ->type_name("TIME");
  app->add_option("--trace", o.trace,
                  "Write the run to this file, in Chrome's format; '' writes none. Default: pipeline_trace.json")
      ->type_name("FILE");
  app->add_option("--seed", o.seed, "Of generated inputs, simulated noise and random arrivals")->type_name("N");
  app->add_option("--format", o.output.format, "table, csv, json or markdown. Default: table")->type_name("FORMAT");
  app->add_option("--table", o.output.table,
                  "Of CSV: summary, devices, stages, batches, parts, splits or critical_path. Default: summary")
      ->type_name("NAME");
  app->add_option("-o,--output", o.output.file, "Write the result to this file instead of stdout")->type_name("FILE");
  return app;
}

/// The word after --simulate is its mode or already the file.
void read_simulate(const CLI::App& app, PipelineRunOptions& o) {
  o.simulated = app.count("--simulate") > 0;
  if (!o.simulated) return;
  o.clock = Clock::virtual_time;
  for (const auto& word : o.simulate) {
    if (word == "real") {
      o.clock = Clock::real_time;
    } else if (word.ends_with(".yaml") || word.ends_with(".yml")) {
      if (!o.file.empty())
        throw UsageError(
            fmt::format("'{}' and '{}': one pipeline at a time", printable(o.file.string()), printable(word)));
      o.file = word;
    } else if (word != "virtual" && !word.empty()) {
      const auto near = nearest_word(word, std::vector<std::string>{"virtual", "real"});
      throw UsageError(fmt::format("--simulate '{}': {}", printable(word),
                                   near ? fmt::format("did you mean '{}'?", *near) : "write virtual or real"));
    }
  }
}

Nanoseconds read_timeout(const std::string& text) try {
  const auto timeout = parse_duration(text);
  if (timeout < Duration(1) || timeout > Duration(std::chrono::hours(24)))
    throw UsageError("--timeout: give a time from 1us to 86400s, as in 30s");
  return std::chrono::duration_cast<Nanoseconds>(timeout);
} catch (const Error& error) {
  throw UsageError(fmt::format("--timeout {}", error.what()));
}

PipelineSpec spec_of(const PipelineRunOptions& o) {
  if (o.file.empty() && !o.simulated)
    throw UsageError("name a pipeline file, or simulate the built-in pipeline with --simulate");
  PipelineSpec spec = o.file.empty() ? dummy_pipeline() : read_pipeline(o.file);
  if (o.simulated) spec = simulated(std::move(spec));
  if (o.batches) {
    spec.batches = o.batches;
    spec.duration.reset();
  }
  if (!o.timeout.empty()) spec.timeout = read_timeout(o.timeout);
  if (o.seed) spec.seed = *o.seed;
  return spec;
}

PipelineOutcome run(const PipelineSpec& spec, Clock clock, const Interrupt& interrupt) {
  if (clock == Clock::virtual_time) return {simulate_pipeline(spec), {}, false};
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
  read_simulate(*app, o);
  check(o.output, account_table_names());
  apply(o.log);
  const PipelineSpec spec = spec_of(o);
  if (auto warning = build_warning(); !warning.empty()) log_warning(warning);
  const Interrupt interrupt;
  PipelineOutcome outcome = run(spec, o.clock, interrupt);
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
  if (outcome.abandoned) {
    // A thread hangs in a runtime whose clean-up would wait for it.
    std::fflush(stdout);
    std::fprintf(stderr, "takt: %s\n", outcome.run.failure.value_or("an execution never came back").c_str());
    std::_Exit(1);
  }
  if (outcome.run.failure) throw Error(ErrorKind::runtime, *outcome.run.failure);
  return outcome.run.interrupted ? 130 : 0;
}

}  // namespace takt
