#include "pipeline/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/system/affinity.h"
#include "pipeline/engine/engine_run.h"
#include "pipeline/engine/planned_run.h"
#include "pipeline/engine/times_by_size.h"

namespace takt {
namespace {

/// What an abandoned run needs for as long as its thread may come back: it is never destroyed.
struct Kept {
  PipelineSpec spec;
  EngineSettings settings;
  std::unique_ptr<SimulatedTimes> times;
  std::unique_ptr<EngineRun> engine;
};

void keep_for_ever(std::unique_ptr<Kept> kept) {
  note_abandoned_work();
  static auto* const all = new std::vector<std::unique_ptr<Kept>>;  // reachable, so that no leak checker objects
  all->push_back(std::move(kept));
}

/// The key that says what a stage suffers or does; empty: none.
std::string contention_key(const PipelineSpec& spec, const std::string& stage) {
  const auto names_it = [&](const auto& row) { return row.second.count(stage) > 0; };
  if (spec.interference.count(stage) || std::any_of(spec.interference.begin(), spec.interference.end(), names_it))
    return "interference." + stage;
  for (const auto& [name, resource] : spec.resources)
    if (resource.stages.count(stage)) return fmt::format("resources.{}.stages.{}", name, stage);
  return "";
}

void check_contention(const PipelineSpec& spec) {
  for (const auto& stage : spec.stages) {
    const std::string key = contention_key(spec, stage.name);
    if (!key.empty() && !is_simulated(devices_of(stage).front()) && !stage.loads)
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: contention.{}: {} is a real device, whose contention is measured, not described; "
                              "remove the stage from the key, or use --simulate",
                              spec.origin, key, devices_of(stage).front()));
  }
}

/// Cores that one execution keeps busy; nullopt where it runs elsewhere, too.
std::optional<int> threads_of(const StageSpec& stage, int cores) {
  for (const auto& device : devices_of(stage))
    if (device != "CPU") return std::nullopt;
  return std::min(stage.threads.value_or(cores), cores);
}

/// Stages on one device may run on different runtimes: all are named, in the order of their names.
void add_runtime(PipelineRun& run, const std::string& device, const std::string& runtime) {
  for (auto& known : run.devices) {
    if (known.name != device) continue;
    auto names = known.runtime.empty() ? std::vector<std::string>{} : split(known.runtime, '+');
    names.push_back(runtime);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    known.runtime = fmt::format("{}", fmt::join(names, "+"));
  }
}

std::string note_on_deviation(const std::string& stage, double deviation) {
  const std::string merged =
      fmt::format("stage '{}': its merged outputs were compared with those of the unsplit stage", stage);
  if (deviation == 0) return merged + ": equal";
  return fmt::format("{}: they differ by at most {:.1e} of the largest value", merged, deviation);
}

void add_stages(PipelineRun& run, const std::vector<OpenedStage>& stages, const PipelineSpec& spec,
                std::vector<std::string>& notes) {
  bool simulated = false;
  const auto cores = usable_core_count();
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto& stage = stages[s];
    const auto devices = devices_of(spec.stages[s]);
    if (!stage.is_real()) {
      simulated = simulated || is_simulated(devices.front());
      continue;
    }
    std::int64_t bytes = 0;
    for (const auto& input : stage.sample_inputs) bytes += static_cast<std::int64_t>(input->bytes.size());
    run.stages[s].input_bytes = bytes;
    run.cores = cores;
    run.stages[s].threads = threads_of(spec.stages[s], cores);
    if (stage.split) {
      run.stages[s].ratio = stage.split->ratio();
      if (const auto deviation = stage.split->deviation())
        notes.push_back(note_on_deviation(spec.stages[s].name, *deviation));
    }
    for (std::size_t p = 0; p < devices.size(); ++p) add_runtime(run, devices[p], stage.runtimes[p]);
  }
  if (simulated)
    notes.push_back(
        "sim: devices are simulated: their times follow descriptions, not hardware; they compute nothing, so a real "
        "stage after one gets generated values");
}

PipelineOutcome unopened(PipelineOutcome outcome, const PipelineSpec& spec, const WatchedEnd& end) {
  const auto reason = unopened_reason(spec, end);
  outcome.began = false;
  outcome.abandoned = end.is_abandoned;
  outcome.run.interrupted = true;
  if (end.kind == WatchedEnd::Kind::stopped)
    outcome.notes.push_back(reason);
  else
    outcome.run.failure = reason;
  return outcome;
}

}  // namespace

PipelineOutcome run_pipeline(const PipelineSpec& spec, const EngineSettings& settings) {
  check_contention(spec);
  auto kept = std::make_unique<Kept>();
  kept->spec = spec;
  kept->settings = settings;
  kept->times = std::make_unique<SimulatedTimes>(spec);
  PipelineOutcome outcome;
  outcome.run = planned_run(spec, *kept->times);
  std::vector<std::vector<InputTurns>> turns;  // of each stage
  std::vector<int> varying;                    // stages whose batches are of different sizes
  {
    const TemporaryFolder folder("takt-pipeline");
    auto opened =
        open_stages_watched(spec, *kept->times, folder.path(), settings.take_outputs != nullptr, settings.stop);
    if (opened.end.kind != WatchedEnd::Kind::done) return unopened(std::move(outcome), spec, opened.end);
    add_stages(outcome.run, opened.stages, spec, outcome.notes);
    for (const auto& stage : opened.stages) {
      if (stage.sizes_vary) varying.push_back(static_cast<int>(turns.size()));
      turns.push_back(stage.turns);
    }
    kept->engine = std::make_unique<EngineRun>(kept->spec, kept->settings, *kept->times, outcome.run.shape,
                                               std::move(opened.stages));
  }
  outcome.abandoned = !kept->engine->run(outcome.run);
  for (std::size_t s = 0; s < turns.size(); ++s)
    for (auto& note : notes_on_turns(spec.stages[s].name, turns[s], outcome.run.schedule.batches.size()))
      outcome.notes.push_back(std::move(note));
  for (auto& note : notes_on_sizes(outcome.run, varying, turns)) outcome.notes.push_back(std::move(note));
  if (outcome.abandoned) keep_for_ever(std::move(kept));
  return outcome;
}

}  // namespace takt
