#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/machine/peaks_file.h"
#include "base/machine/resource_load.h"
#include "base/system/busy.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/line/worker.h"
#include "cli/pipeline/options.h"
#include "pipeline/contention/interference.h"
#include "pipeline/contention/single_contention.h"
#include "pipeline/engine/loaded_runs.h"
#include "pipeline/engine/spec_cut.h"

namespace takt {
namespace {

constexpr std::int64_t usual_batches = 100;

constexpr int usual_levels = 5;

struct InterferenceOptions {
  PipelineOptions pipeline;
  int rounds = InterferenceSettings{}.rounds;
  int levels = usual_levels;
  std::string pairs = "measured";
  std::filesystem::path save;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(InterferenceOptions& o) {
  CommandLine line("pipeline interference",
                   "Measures how much the stages of a pipeline slow each other down: runs every stage alone, "
                   "concurrently with each other stage and with itself, interleaved and several times; or predicts it "
                   "from stages under loads of known levels.",
                   "takt pipeline interference pipeline.yaml --save slowdowns.json", o.log);
  add_file_and_simulate(line, o.pipeline);
  line.add({.names = "--batches",
            .value = "N",
            .meaning = "Batches of each run; more batches reveal smaller slowdowns",
            .fallback = std::to_string(usual_batches),
            .range = NumberRange{10, 1'000'000}},
           &o.pipeline.batches);
  line.add({.names = "--rounds",
            .value = "N",
            .meaning = "Repeat all measurements N times, so that drift of the machine is not mistaken for a slowdown",
            .fallback = std::to_string(o.rounds),
            .range = NumberRange{2, 1000}},
           &o.rounds);
  line.add({.names = "--pairs",
            .value = "HOW",
            .meaning = "measured: every pair runs concurrently; predicted: every stage runs under loads only, and "
                       "pairs are predicted from that; both: also reports the errors of the predictions",
            .fallback = o.pairs,
            .one_of = {"measured", "predicted", "both"}},
           &o.pairs);
  line.add({.names = "--levels",
            .value = "N",
            .meaning = "Levels of each load under which stages run, for predicted pairs",
            .fallback = std::to_string(o.levels),
            .range = NumberRange{2, 50}},
           &o.levels);
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
  provenance.settings = {{"pipeline", spec.name},
                         {"clock", o.pipeline.clock == PipelineClock::virtual_time ? "virtual" : "real"},
                         {"batches", std::to_string(*spec.batches)},
                         {"pairs", o.pairs},
                         {"rounds", std::to_string(rounds)},
                         {"seed", std::to_string(spec.seed)}};
  return provenance;
}

std::vector<std::string> stage_names(const PipelineSpec& spec) {
  std::vector<std::string> names;
  for (const auto& stage : spec.stages) names.push_back(stage.name);
  return names;
}

/// What one invocation measures and says.
class InterferenceAnswer {
 public:
  InterferenceAnswer(PipelineSpec spec, const InterferenceOptions& o, const Interrupt& interrupt)
      : spec_(std::move(spec)), o_(o), stop_(&interrupt.requested()), runner_(spec_, is_virtual(), stop_) {}

  void measure_stages() {
    LoadSetup setup = load_setup(spec_, is_virtual(), runner_, words_of(worker_load_command), stop_);
    Progress bar("runs under load");
    SingleSettings settings;
    settings.rounds = o_.rounds;
    settings.plan = {even_levels(o_.levels), setup.mixture};
    settings.stop = stop_;
    settings.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
    single_ = measure_single(stage_names(spec_), setup.resources, *setup.runs, settings);
    note_rounds(single_->rounds);
  }

  void measure_pairs(InterferenceSettings settings) {
    Progress bar("runs");
    settings.rounds = o_.rounds;
    settings.stop = stop_;
    settings.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
    measured_ = measure_interference(
        stage_names(spec_), [&](const std::vector<int>& stages) { return runner_.run(stages); }, settings);
    note_rounds(measured_->rounds);
  }

  /// Nothing that was measured can be told from what other programs did.
  void doubt() {
    if (measured_) takt::doubt(*measured_);
    if (!single_) return;
    for (PairRow& pair : single_->pairs) pair.significant = false;
  }

  int rounds() const { return rounds_; }
  bool interrupted() const { return rounds_ < o_.rounds; }

  /// pairs and alone come first: measured where they were.
  std::vector<Table> all_tables() const {
    auto list = tables(measured_ ? *measured_ : predicted_report());
    if (!single_) return list;
    for (Table& table : single_tables(*single_)) list.push_back(std::move(table));
    if (measured_) list.push_back(predictions_table(check_predictions(*single_, *measured_)));
    return list;
  }

  std::string text(const TextStyle& style) const {
    std::string text;
    if (single_) text += to_text(*single_, style) + "\n";
    text += to_text(measured_ ? *measured_ : predicted_report(), style);
    if (single_ && measured_) text += "\n" + to_text(check_predictions(*single_, *measured_), style);
    return text;
  }

 private:
  bool is_virtual() const { return o_.pipeline.clock == PipelineClock::virtual_time; }

  void note_rounds(int rounds) {
    rounds_ = std::min(rounds_, rounds);
    if (rounds < o_.rounds) log_warning(fmt::format("interrupted: these are {} of {} rounds", rounds, o_.rounds));
  }

  InterferenceReport predicted_report() const {
    return {single_->alone, single_->pairs, single_->rounds, single_->interrupted};
  }

  PipelineSpec spec_;
  const InterferenceOptions& o_;
  const std::atomic<bool>* stop_;
  CutRunner runner_;
  std::optional<SingleReport> single_;
  std::optional<InterferenceReport> measured_;
  int rounds_ = o_.rounds;
};

/// A table that only measuring in another way fills.
void check_table(const InterferenceOptions& o) {
  const auto asked = [&](std::string_view name) { return o.output.format == "csv" && o.output.table == name; };
  if (o.pairs == "measured" && (asked("loaded") || asked("pressures")))
    throw UsageError(fmt::format("--table {}: stages do not run under loads; add --pairs predicted", o.output.table));
  if (o.pairs != "both" && asked("predictions"))
    throw UsageError("--table predictions: pairs are not measured and predicted; add --pairs both");
}

/// The child process that generates load while real stages are measured (base/machine/resource_load.h). It runs until
/// it is killed or its reader is gone.
int run_load_worker(Arguments) {
  run_load(whole_task(), tell_line);
  return 0;
}

/// Beside other programs a pair is slow for their sake as well as for its partner's.
void tell_and_doubt(BusyWatch& watch, InterferenceAnswer& answer) {
  const auto busy = watch.found();
  if (!busy) return;
  const bool doubtful = busy->share() >= doubtful_share;
  if (doubtful) answer.doubt();
  log_warning(to_string(*busy) + (doubtful ? "; no slowdown is called significant" : ""));
}

int run(InterferenceOptions& o, Arguments arguments) {
  check_table(o);
  settle(o.pipeline);
  if (!o.pipeline.batches) o.pipeline.batches = usual_batches;
  const Interrupt interrupt;
  PipelineSpec spec = spec_of(o.pipeline);
  if (spec.warmup) spec.warmup = std::min(*spec.warmup, *spec.batches / 2);
  if (auto warning = build_warning(); !warning.empty()) log_warning(warning);
  spec = with_given_inputs(std::move(spec), &interrupt.requested());
  InterferenceSettings settings;
  std::string text;
  BusyWatch watch;
  InterferenceAnswer answer(spec, o, interrupt);
  if (o.pairs != "measured") answer.measure_stages();
  if (o.pairs != "predicted" && !answer.interrupted()) {
    text = add_bandwidth(spec, settings);
    answer.measure_pairs(settings);
  }
  interrupt.work_is_over();
  if (o.pipeline.clock != PipelineClock::virtual_time) tell_and_doubt(watch, answer);
  const auto list = answer.all_tables();
  const Provenance provenance = describe(spec, o, answer.rounds(), arguments);
  text += answer.text(o.output.style());
  if (!o.save.empty()) {
    write_file_atomically(o.save, to_json(list, to_json(provenance)));
    const std::string said = fmt::format("wrote {}", printable(o.save.string()));
    if (o.output.is_text_on_screen())
      text += said + "\n";
    else
      log_info(said);
  }
  print(o.output, list, provenance, text);
  return 0;
}

}  // namespace

constinit const Command worker_load_command{"worker load", "", run_load_worker};
constinit const Command pipeline_interference_command =
    command<InterferenceOptions, declare, run>("pipeline interference", "measure how much stages slow each other down");

}  // namespace takt
