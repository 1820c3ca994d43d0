#include <fmt/format.h>

#include <algorithm>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/pipeline.h"
#include "cli/pipeline_options.h"
#include "cli/tables.h"
#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/progress.h"
#include "core/text.h"
#include "core/watched_work.h"
#include "machine/peaks_file.h"
#include "pipeline/spec_cut.h"
#include "replay/interference.h"

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

CommandLine declare(InterferenceOptions& o) {
  CommandLine line("pipeline interference",
                   "Measures how much the stages of a pipeline slow each other down: runs every stage alone, beside "
                   "each other one and beside itself, several times in turns.",
                   "takt pipeline interference pipeline.yaml --save slowdowns.json", o.log);
  add_file_and_simulate(line, o.pipeline);
  line.add({.names = "--batches",
            .value = "N",
            .meaning = "Batches of each single run; more show smaller slow-downs",
            .fallback = std::to_string(usual_batches),
            .range = NumberRange{10, 1'000'000}},
           &o.pipeline.batches);
  line.add({.names = "--rounds",
            .value = "N",
            .meaning = "Repeat all measurements N times, so that a drift of the machine is not taken for a slow-down",
            .fallback = std::to_string(o.rounds),
            .range = NumberRange{2, 1000}},
           &o.rounds);
  line.add({.names = "--save",
            .value = "FILE",
            .meaning = "Also write the result to this file as JSON: 'takt pipeline whatif --interference' reads it",
            .makes = Makes::file},
           &o.save);
  add_timeout(line, o.pipeline);
  add_seed(line, o.pipeline);
  add_output(line, o.output, table_names("pipeline interference"));
  return line;
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
  Provenance provenance = provenance_of("pipeline interference", arguments);
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
  return measure_interference(
      names, [&](const std::vector<int>& stages) { return runner.run(stages); }, settings);
}

/// The command itself; what it throws may have left a thread behind.
int run_to_the_end(std::span<const std::string> arguments, InterferenceOptions& o, const Interrupt& interrupt) {
  PipelineSpec spec = spec_of(o.pipeline);
  if (spec.warmup) spec.warmup = std::min(*spec.warmup, *spec.batches / 2);
  if (auto warning = build_warning(); !warning.empty()) log_warning(warning);
  spec = with_given_inputs(std::move(spec), &interrupt.requested());
  InterferenceSettings settings;
  settings.rounds = o.rounds;
  std::string text = add_bandwidth(spec, settings);
  const InterferenceReport report = measure(spec, o.pipeline.clock, settings, interrupt);
  const auto list = tables(report);
  const Provenance provenance = describe(spec, o, report.rounds, arguments);
  if (report.interrupted) log_warning(fmt::format("interrupted: these are {} of {} rounds", report.rounds, o.rounds));
  text += to_text(report, o.output.style());
  if (!o.save.empty()) {
    write_file_atomically(o.save, to_json(list, to_json(provenance)));
    const std::string said = fmt::format("wrote {}", printable(o.save.string()));
    if (o.output.is_text_on_screen())
      text += said + "\n";
    else
      log_info(said);
  }
  print(o.output, list, provenance, text);
  return report.interrupted ? 130 : 0;
}

}  // namespace

CommandDescription describe_pipeline_interference() {
  InterferenceOptions o;
  return declare(o).description();
}

int run_pipeline_interference(std::span<const std::string> arguments) {
  InterferenceOptions o;
  if (!declare(o).parse(arguments)) return 0;
  settle(o.pipeline);
  if (!o.pipeline.batches) o.pipeline.batches = usual_batches;
  const Interrupt interrupt;
  try {
    const int code = run_to_the_end(arguments, o, interrupt);
    if (has_abandoned_work()) end_abandoned("interrupted", code);
    return code;
  } catch (const Error& error) {
    const int code = interrupt.requested() ? 130 : 1;
    if (has_abandoned_work()) end_abandoned(error.what(), code);
    if (code == 1) throw;
    log_warning(error.what());
    return code;
  }
}

}  // namespace takt
