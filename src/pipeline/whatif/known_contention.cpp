#include "pipeline/whatif/known_contention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "pipeline/contention/interference_file.h"
#include "pipeline/whatif/replay.h"

namespace takt {
namespace {

constexpr std::size_t draws = 60;        // laws that are possible
constexpr double trusted_error = 0.02;   // of a replay with a law that is only estimated
constexpr double measured_error = 0.05;  // of a replay with slow-downs that were measured beside the run

/// Whether all that the stage suffers is what the record's law says: a simulated device follows its description, and
/// what takes a given time suffers nothing.
bool is_described(const PipelineRun& run, std::size_t stage) {
  if (!run.contention) return false;
  for (const auto& parts : run.shape.stages[stage].replicas)
    for (const int device : parts)
      if (const auto& runtime = run.devices[index(device)].runtime; runtime != "sim" && runtime != own_runtime)
        return false;
  return true;
}

std::optional<std::size_t> stage_named(const PipelineRun& run, const std::string& name) {
  for (std::size_t s = 0; s < run.stages.size(); ++s)
    if (run.stages[s].name == name) return s;
  return std::nullopt;
}

void set_factor(ContentionLaw& law, std::size_t stages, std::size_t i, std::size_t j, double factor) {
  if (law.interference.empty()) law.interference.assign(stages, std::vector<double>(stages, 1));
  law.interference[i][j] = factor;
}

/// What two stages suffer by waiting for cores is in their shares of these; the rest is between the two.
double beyond_cores(const std::vector<double>& shares, std::size_t i, std::size_t j, double factor) {
  return shares.empty() ? std::max(1.0, factor) : std::max(1.0, factor / std::max(1.0, shares[i] + shares[j]));
}

void add_measured(const PipelineRun& run, std::span<const PairRow> measured, KnownContention& result) {
  bool any = measured.empty();
  for (const PairRow& row : measured) {
    const auto i = stage_named(run, row.stage), j = stage_named(run, row.beside);
    if (!i || !j) continue;
    any = true;
    if (!row.factor || result.known[*i][*j]) continue;
    result.known[*i][*j] = true;
    if (row.significant)
      set_factor(result.law, run.stages.size(), *i, *j, beyond_cores(result.law.core_share, *i, *j, *row.factor));
  }
  if (!any)
    throw Error(
        ErrorKind::bad_input,
        fmt::format("the measured slowdowns belong to other stages, such as '{}'; measure those of this pipeline",
                    printable(measured.front().stage)));
}

/// Of pairs about which nobody told anything, what the record shows. Only if the run replayed with it is as long as it
/// was.
void add_shown(const PipelineRun& run, KnownContention& result) {
  ContentionLaw law = result.law;
  std::vector<Interference> found;
  for (std::size_t i = 0; i < run.stages.size(); ++i) {
    for (std::size_t j = 0; j < run.stages.size(); ++j) {
      const PossibleFactor& factor = result.possible.factors[i][j];
      if (!factor.shown) continue;
      set_factor(law, run.stages.size(), i, j, factor.median);
      found.push_back({static_cast<int>(i), static_cast<int>(j), factor.median, factor.low, factor.high});
    }
  }
  if (found.empty()) return;
  if (replay_error(run, replay(run, {}, law)) > trusted_error) return;
  result.law = std::move(law);
  result.found = std::move(found);
}

/// Stages whose slow-downs are no rule: what several do to them at once, pairs do not tell.
void add_several(const PipelineRun& run, const KnownStages* answers, ContentionLaw& law) {
  std::vector<std::optional<BesideSeveral>> several(run.stages.size());
  bool any = false;
  for (std::size_t s = 0; s < several.size(); ++s) {
    if (is_described(run, s)) continue;
    any = true;
    several[s].emplace();
    if (answers)
      if (const StageContention* known = answers->find(run.stages[s].name)) several[s]->answers = *known;
  }
  if (any) law.several = std::move(several);
}

/// Without factors and without pressures nothing is slowed down, and a replay is quicker that knows it.
void forget_idle(ContentionLaw& law) {
  const auto tells = [](const auto& one) { return one && !one->answers.pressure.empty(); };
  if (law.interference.empty() && std::none_of(law.several.begin(), law.several.end(), tells)) law.several.clear();
}

KnownContention known_with(const PipelineRun& run, std::span<const PairRow> measured, const KnownStages* answers) {
  KnownContention result;
  if (run.contention) result.law = *run.contention;
  result.law.core_share = core_shares(run);
  for (std::size_t s = 0; s < run.stages.size(); ++s)
    result.known.emplace_back(run.stages.size(), is_described(run, s));
  add_several(run, answers, result.law);
  add_measured(run, measured, result);
  result.possible = contention_posterior(run, result.law, result.known, draws);
  add_shown(run, result);
  forget_idle(result.law);
  return result;
}

/// Of executions that ran at the same time.
std::int64_t most_threads(const PipelineRun& run) {
  std::vector<std::pair<Nanoseconds, std::int64_t>> changes;
  for (const auto& record : run.schedule.executions) {
    const std::int64_t threads = run.stages[index(record.what.stage)].threads.value_or(0);
    if (record.what.device == Execution::host || record.start == record.end || threads == 0) continue;
    changes.emplace_back(record.start, threads);
    changes.emplace_back(record.end, -threads);
  }
  std::sort(changes.begin(), changes.end());  // at one instant the ends come first: they are negative
  std::int64_t now = 0, most = 0;
  for (const auto& [time, threads] : changes) most = std::max(most, now += threads);
  return most;
}

}  // namespace

std::vector<double> core_shares(const PipelineRun& run) {
  if (!run.cores) return {};
  std::vector<double> shares;
  for (const RunStage& stage : run.stages)
    shares.push_back(std::min(1.0, static_cast<double>(stage.threads.value_or(0)) / *run.cores));
  const bool any = std::any_of(shares.begin(), shares.end(), [](double share) { return share > 0; });
  return any ? shares : std::vector<double>{};
}

KnownContention known_contention(const PipelineRun& run, std::span<const PairRow> measured,
                                 const KnownStages* answers) {
  KnownContention result = known_with(run, measured, answers);
  if (measured.empty()) return result;
  const double error = replay_error(run, replay(run, {}, result.law));
  if (error <= measured_error) return result;
  KnownContention without = known_with(run, {}, nullptr);
  if (error <= replay_error(run, replay(run, {}, without.law))) return result;
  without.refused_error = error;
  return without;
}

std::optional<CoreUse> core_use(const PipelineRun& recorded, const PipelineRun& predicted) {
  if (core_shares(recorded).empty()) return std::nullopt;
  return CoreUse{*recorded.cores, most_threads(recorded), most_threads(predicted)};
}

}  // namespace takt
