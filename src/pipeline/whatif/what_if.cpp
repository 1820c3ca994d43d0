#include "pipeline/whatif/what_if.h"

#include "base/basics/index.h"
#include "pipeline/account/account.h"

namespace takt {
namespace {

WhatIfRow row_of(std::string variant, const Accounts& accounts, double replay_error) {
  WhatIfRow row;
  row.variant = std::move(variant);
  row.makespan = accounts.window.length();
  row.cycle = accounts.cycle;
  row.latency = accounts.latency.mean;
  row.throughput_per_s = accounts.throughput_per_s;
  if (accounts.bottleneck) row.bottleneck = accounts.stages[index(*accounts.bottleneck)].name;
  row.replay_error = replay_error;
  return row;
}

WhatIfRow predicted_row(std::string variant, const PipelineRun& run, std::span<const PipelineChange> changes,
                        const PredictionRange& possible, double replay_error) {
  const Accounts accounts = account(run);
  WhatIfRow row = row_of(std::move(variant), accounts, replay_error);
  row.ranges = possible.ranges(changes, accounts);
  return row;
}

std::vector<PipelineChange> with(std::span<const PipelineChange> changes, const PipelineChange& one) {
  std::vector<PipelineChange> all(changes.begin(), changes.end());
  all.push_back(one);
  return all;
}

/// The stage 10 % faster than it is after the changes.
std::vector<PipelineChange> with_faster(std::span<const PipelineChange> changes, const std::string& stage) {
  constexpr double faster = 0.9;
  PipelineChange time{Knob::stage_time, stage, 1, true, {}, {}, "10 % faster"};
  for (const PipelineChange& change : changes)
    if (change.knob == Knob::stage_time && change.target == stage) time = change;
  *time.number *= faster;
  return with(changes, time);
}

SensitivityRow sensitivity(const PipelineRun& run, std::span<const PipelineChange> changes, const ContentionLaw& law,
                           std::size_t stage, const WhatIfRow& after) {
  const WhatIfRow row = row_of("", account(replay(run, with_faster(changes, run.stages[stage].name), law)), 0);
  SensitivityRow result{row.variant, row.throughput_per_s, {}, row.makespan};
  result.stage = run.stages[stage].name;
  if (row.throughput_per_s && after.throughput_per_s) result.gain = *row.throughput_per_s / *after.throughput_per_s - 1;
  return result;
}

}  // namespace

WhatIf what_if(const PipelineRun& run, std::span<const PipelineChange> changes, std::span<const PipelineChange> sweep,
               std::span<const PairRow> measured, const KnownStages* answers) {
  WhatIf result;
  for (const auto& stage : run.stages) result.stages.push_back(stage.name);
  const KnownContention known = known_contention(run, measured, answers);
  const ContentionLaw& law = known.law;
  result.interference = known.found;
  const PipelineRun again = replay(run, {}, law);
  const double error = replay_error(run, again);
  const PipelineRun after = replay(run, changes, law);
  const PredictionRange possible(run, known, error);
  result.summary = {row_of("before", account(run), error), row_of("replayed", account(again), error),
                    predicted_row("after", after, changes, possible, error)};
  result.extrapolated = extrapolations(run, after, known.possible);
  result.cores = core_use(run, after);
  result.refused_error = known.refused_error;
  for (const PipelineChange& change : sweep) {
    const auto all = with(changes, change);
    result.sweep.push_back(predicted_row(change.text, replay(run, all, law), all, possible, error));
    result.sweep.back().value = value_text(change);
    result.swept = change.text.substr(0, change.text.find('='));
  }
  for (std::size_t s = 0; s < run.stages.size(); ++s)
    result.sensitivity.push_back(sensitivity(run, changes, law, s, result.summary[2]));
  return result;
}

std::vector<WhatIfRow> predictions(const PipelineRun& run, std::span<const std::vector<PipelineChange>> settings) {
  const KnownContention known = known_contention(run);
  const double error = replay_error(run, replay(run, {}, known.law));
  const PredictionRange possible(run, known, error);
  std::vector<WhatIfRow> rows;
  for (const auto& changes : settings)
    rows.push_back(predicted_row("after", replay(run, changes, known.law), changes, possible, error));
  return rows;
}

}  // namespace takt
