#include <fmt/format.h>

#include <algorithm>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/pipeline.h"
#include "cli/pipeline_options.h"
#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/progress.h"
#include "core/text.h"
#include "machine/peaks_file.h"
#include "pipeline/interference.h"
#include "pipeline/spec_cut.h"

namespace takt {
namespace {

constexpr std::int64_t usual_batches = 100;

struct InterferenceOptions {
  PipelineOptions pipeline;
  int rounds = InterferenceSettings{}.rounds;
  std::filesystem::path save;
  OutputOptions output;
  LogOptions log;
};

std::unique_ptr<CLI::App> declare(InterferenceOptions& o) {
  auto app = make_app("pipeline interference",
                      "Measures how much the stages of a pipeline slow each other down: runs every stage alone, beside "
                      "each other one and beside itself, several times in turns.",
                      "takt pipeline interference pipeline.yaml --save slowdowns.json", o.log);
  add_file_and_simulate(*app, o.pipeline);
  app->add_option("--batches", o.pipeline.batches,
                  fmt::format("Of each single run; more tell smaller slow-downs. Default: {}", usual_batches))
      ->type_name("N")
      ->check(CLI::Range(10, 1'000'000));
  app->add_option("--rounds", o.rounds,
                  fmt::format("Everything is measured so often, in turns, to tell a drift of the machine from a "
                              "slow-down. Default: {}",
                              o.rounds))
      ->type_name("N")
      ->check(CLI::Range(2, 1000));
  app->add_option("--save", o.save,
                  "Also write the result to this file as JSON: 'takt pipeline whatif --interference' reads it")
      ->type_name("FILE");
  add_timeout(*app, o.pipeline);
  add_seed(*app, o.pipeline);
  app->add_option("--format", o.output.format, "table, csv, json or markdown. Default: table")->type_name("FORMAT");
  app->add_option("--table", o.output.table, "Of CSV: pairs or alone. Default: pairs")->type_name("NAME");
  app->add_option("-o,--output", o.output.file, "Write the result to this file instead of stdout")->type_name("FILE");
  return app;
}

/// What the CPU's memory gives, and what stages on it ask for. A note where that is not known.
std::string add_bandwidth(const PipelineSpec& spec, InterferenceSettings& settings) {
  const auto on_cpu = [](const StageSpec& stage) {
    const auto devices = devices_of(stage);
    return std::all_of(devices.begin(), devices.end(), [](const std::string& device) { return device == "CPU"; });
  };
  if (std::none_of(spec.stages.begin(), spec.stages.end(), on_cpu)) return "";
  const KnownPeaks known = load_peaks();
  if (!known.peaks || known.peaks->levels.empty())
    return "note  no share of the bandwidth, and no cause: " + known.reason + "\n";
  settings.peak_bytes_per_second = known.peaks->levels.back().read.all.best;
  settings.bytes = bytes_per_batch(spec);
  for (std::size_t s = 0; s < spec.stages.size(); ++s)
    if (!on_cpu(spec.stages[s])) settings.bytes[s].reset();
  return "";
}

Provenance describe(const PipelineSpec& spec, const InterferenceOptions& o, int rounds,
                    std::span<const std::string> arguments) {
  std::vector<std::string> command{"takt", "pipeline", "interference"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Provenance provenance = make_provenance(std::move(command));
  for (const auto& device : device_names(spec)) provenance.device += (provenance.device.empty() ? "" : ",") + device;
  provenance.settings = {{"pipeline", spec.name},
                         {"clock", o.pipeline.clock == PipelineClock::virtual_time ? "virtual" : "real"},
                         {"batches", std::to_string(*spec.batches)},
                         {"rounds", std::to_string(rounds)},
                         {"seed", std::to_string(spec.seed)}};
  return provenance;
}

InterferenceReport measure(const PipelineSpec& spec, PipelineClock clock, InterferenceSettings settings,
                           const Interrupt& interrupt) {
  Progress bar("runs");
  settings.stop = &interrupt.requested();
  settings.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  std::vector<std::string> names;
  for (const auto& stage : spec.stages) names.push_back(stage.name);
  CutRunner runner(spec, clock == PipelineClock::virtual_time, settings.stop);
  try {
    return measure_interference(
        names, [&](const std::vector<int>& stages) { return runner.run(stages); }, settings);
  } catch (const Error& error) {
    if (runner.abandoned()) end_abandoned(error.what());
    throw;
  }
}

}  // namespace

int run_pipeline_interference(std::span<const std::string> arguments) {
  InterferenceOptions o;
  auto app = declare(o);
  if (!parse(*app, arguments)) return 0;
  settle(*app, o.pipeline);
  check(o.output, interference_table_names());
  apply(o.log);
  if (!o.pipeline.batches) o.pipeline.batches = usual_batches;
  PipelineSpec spec = spec_of(o.pipeline);
  if (spec.warmup) spec.warmup = std::min(*spec.warmup, *spec.batches / 2);
  if (auto warning = build_warning(); !warning.empty()) log_warning(warning);
  const Interrupt interrupt;
  spec = with_given_inputs(std::move(spec));
  InterferenceSettings settings;
  settings.rounds = o.rounds;
  std::string text = add_bandwidth(spec, settings);
  const InterferenceReport report = measure(spec, o.pipeline.clock, settings, interrupt);
  const auto list = tables(report);
  const Provenance provenance = describe(spec, o, report.rounds, arguments);
  if (report.interrupted) log_warning(fmt::format("interrupted: these are {} of {} rounds", report.rounds, o.rounds));
  text += to_text(report);
  if (!o.save.empty()) {
    write_file_atomically(o.save, to_json(list, to_json(provenance)));
    const std::string said = fmt::format("wrote {}", printable(o.save.string()));
    if (o.output.format == "table" && o.output.file.empty())
      text += said + "\n";
    else
      log_info(said);
  }
  print(o.output, list, provenance, text);
  return report.interrupted ? 130 : 0;
}

}  // namespace takt
