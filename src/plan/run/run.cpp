#include "plan/run/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "model/sim/simulated.h"
#include "pipeline/engine/engine.h"
#include "pipeline/engine/simulation.h"

namespace takt {
namespace {

bool is_on_virtual_clock(const PipelineSpec& spec) {
  const auto devices = device_names(spec);
  return std::all_of(devices.begin(), devices.end(),
                     [](const std::string& device) { return is_simulated(device) || device == wait_device; });
}

PipelineRun run_once(PipelineSpec spec, std::int64_t batches, std::optional<std::int64_t> in_flight, std::uint64_t seed,
                     const std::atomic<bool>* stop) {
  spec.batches = batches;
  spec.source.in_flight = in_flight;
  spec.warmup = 0;
  spec.seed = seed;
  if (is_on_virtual_clock(spec)) return simulate_pipeline(spec);
  EngineSettings settings;
  settings.stop = stop;
  PipelineOutcome outcome = run_pipeline(spec, settings);
  if (outcome.run.failure) throw Error(ErrorKind::runtime, *outcome.run.failure);
  if (!outcome.began || outcome.run.interrupted) throw Error(ErrorKind::runtime, "interrupted");
  return std::move(outcome.run);
}

/// What cuts, the longest part, what puts together: the work of one batch, without waits between them; mean over the
/// batches but the first.
Duration time_in(const BlockStages& block, const PipelineRun& run) {
  const auto stages = run.stages.size();
  const auto batches = run.schedule.batches.size();
  const std::size_t first = batches > 1 ? 1 : 0;
  Duration sum{};
  for (std::size_t b = first; b < batches; ++b) {
    Nanoseconds longest_part{};
    for (int s = block.first; s <= block.last; ++s) {
      const auto& visit = run.schedule.visits[b * stages + index(s)];
      const Nanoseconds time = visit.done - visit.started;
      if (std::find(block.parts.begin(), block.parts.end(), s) == block.parts.end())
        sum += time;
      else
        longest_part = std::max(longest_part, time);
    }
    sum += longest_part;
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, batches - first));
}

Duration mean_latency(const PipelineRun& run) {
  Duration sum{};
  const auto& batches = run.schedule.batches;
  const std::size_t first = batches.size() > 1 ? 1 : 0;
  for (std::size_t b = first; b < batches.size(); ++b) sum += batches[b].delivered - batches[b].admitted;
  return sum / static_cast<double>(std::max<std::size_t>(1, batches.size() - first));
}

PlanRound run_round(const PlanPipeline& pipeline, const PipelineSpec& spec, const PlanRunSettings& settings,
                    int round) {
  const auto seed = settings.seed + static_cast<std::uint64_t>(round);
  const PipelineRun alone = run_once(spec, settings.alone + 1, 1, seed, settings.stop);
  const PipelineRun stream = run_once(spec, settings.batches, std::nullopt, seed, settings.stop);
  PlanRound result{mean_latency(alone), stream.schedule.makespan(), {}};
  for (const BlockStages& block : pipeline.blocks)
    result.blocks.push_back({time_in(block, alone), time_in(block, stream)});
  return result;
}

}  // namespace

bool PlanRunResult::is_wrong() const {
  return numbers && std::any_of(numbers->begin(), numbers->end(), [](const auto& block) { return block.is_wrong(); });
}

std::string PlanRunResult::untold() const {
  if (!numbers || is_wrong()) return {};
  for (const BlockNumbers& block : *numbers)
    if (!block.untold.empty()) return block.untold;
  return {};
}

std::string PlanRunResult::what_is_wrong() const {
  if (numbers)
    for (const BlockNumbers& block : *numbers)
      if (block.is_wrong()) return block.what;
  return {};
}

std::vector<PlanRunResult> run_plans(const std::vector<PlannedTrial>& trials, const PlannedModel& model,
                                     const PlanRunSettings& settings) {
  std::vector<PlanRunResult> results;
  std::vector<PipelineSpec> specs;
  std::uint64_t done = 0;
  const auto total = trials.size() * static_cast<std::size_t>(settings.rounds + 1);
  const auto named = [](const Plan& plan, const Error& error) {
    return Error(error.kind(), fmt::format("the plan {}: {}", to_string(plan), error.what()));
  };
  const auto step = [&](const Plan& plan, const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      throw named(plan, error);
    }
    if (settings.progress) settings.progress(++done, total);
  };
  for (const PlannedTrial& trial : trials)
    step(trial.plan, [&] {
      auto& result = results.emplace_back();
      result.trial = trial;
      result.pipeline = model.write(trial.plan, settings.folder / fmt::format("plan{}", results.size()));
      specs.push_back(read_pipeline(result.pipeline.file));
      if (settings.check) result.numbers = model.check(trial.plan, result.pipeline, specs.back(), settings.stop);
    });
  for (int round = 0; round < settings.rounds; ++round)
    for (std::size_t p = 0; p < results.size(); ++p)
      step(trials[p].plan,
           [&] { results[p].rounds.push_back(run_round(results[p].pipeline, specs[p], settings, round)); });
  return results;
}

}  // namespace takt
