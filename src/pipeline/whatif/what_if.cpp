#include "pipeline/whatif/what_if.h"

#include <algorithm>
#include <optional>

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
  row.latency_p99 = accounts.latency.p99;
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

/// A program's own report does not tell when its source had batches. Where always is no explanation of the run, they came
/// when the first stage took them: the run with such a source, if that explains it better.
std::optional<PipelineRun> with_seen_arrivals(const PipelineRun& run, const ContentionLaw& law) {
  if (!run.logged || run.shape.source.open) return std::nullopt;
  const double closed_error = replay_error(run, replay(run, {}, law));
  if (closed_error <= reliable_replay_error) return std::nullopt;
  PipelineRun fed = run;
  fed.shape.source.open = true;
  fed.shape.source.in_flight.reset();
  if (replay_error(run, replay(fed, {}, law)) >= closed_error) return std::nullopt;
  return fed;
}

}  // namespace

WhatIf what_if(const PipelineRun& given, std::span<const PipelineChange> changes, std::span<const PipelineChange> sweep,
               std::span<const PairRow> measured, const KnownStages* answers) {
  WhatIf result;
  for (const auto& stage : given.stages) result.stages.push_back(stage.name);
  const KnownContention known = known_contention(given, measured, answers);
  const ContentionLaw& law = known.law;
  const std::optional<PipelineRun> fed = with_seen_arrivals(given, law);
  const PipelineRun& run = fed ? *fed : given;
  result.has_seen_arrivals = fed.has_value();
  const auto is_rate = [](const PipelineChange& change) { return change.knob == Knob::source_rate && change.number; };
  result.asks_rate =
      std::any_of(changes.begin(), changes.end(), is_rate) || std::any_of(sweep.begin(), sweep.end(), is_rate);
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

std::vector<WhatIfRow> predictions(const PipelineRun& given, std::span<const std::vector<PipelineChange>> settings) {
  const KnownContention known = known_contention(given);
  const std::optional<PipelineRun> fed = with_seen_arrivals(given, known.law);
  const PipelineRun& run = fed ? *fed : given;
  const double error = replay_error(run, replay(run, {}, known.law));
  const PredictionRange possible(run, known, error);
  std::vector<WhatIfRow> rows;
  for (const auto& changes : settings)
    rows.push_back(predicted_row("after", replay(run, changes, known.law), changes, possible, error));
  return rows;
}

}  // namespace takt
