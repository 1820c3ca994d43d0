#include "pipeline/contention/single_contention.h"

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/statistics/significance.h"
#include "base/statistics/statistics.h"
#include "pipeline/contention/slow_down_rule.h"
#include "pipeline/contention/stage_durations.h"

namespace takt {
namespace {

/// What a stopped measurement throws past the rest of its round.
struct StoppedRound {};

class SingleMeasuring {
 public:
  SingleMeasuring(std::size_t stages, std::size_t resources, LoadedRuns& runs, const SingleSettings& settings)
      : stages_(stages), resources_(resources), runs_(runs), settings_(settings) {}

  std::vector<SingleRound> all() {
    std::vector<SingleRound> rounds;
    try {
      for (int round = 0; round < rounds_wanted(settings_); ++round) {
        rounds.push_back(one());
        if (settings_.after_round) settings_.after_round();
      }
    } catch (const StoppedRound&) {
    }
    return rounds;
  }
  static int rounds_wanted(const SingleSettings& settings) { return std::max(settings.rounds, 2); }

 private:
  const LoadPlan& plan() const { return settings_.plan; }

  void step() {
    if (settings_.stop && *settings_.stop) throw StoppedRound();
    const std::size_t each = resources_ * plan().levels.size() + (plan().mixture.empty() ? 0 : 1);
    const std::size_t total = stages_ * (each + 1) + (settings_.loads ? resources_ * each : 0);
    if (settings_.progress) settings_.progress(++done_, total * static_cast<std::size_t>(rounds_wanted(settings_)));
  }

  std::vector<double> one_load(std::size_t resource, double level) const {
    std::vector<double> levels(resources_);
    levels[resource] = level;
    return levels;
  }

  static double load_lost_in(const LoadedRuns::Beside& run) {
    if (!run.load_lost)
      throw Error(ErrorKind::runtime,
                  "interference: a load did not report its speed while a stage ran, because the run was too short; use "
                  "more batches");
    return *run.load_lost;
  }

  /// `slow_down(levels)`: of what is measured, beside that load.
  template <typename SlowDown>
  AnswersToLoads answers(const SlowDown& slow_down) {
    AnswersToLoads result;
    for (std::size_t r = 0; r < resources_; ++r) {
      auto& curve = result.slow_downs.emplace_back();
      for (const double level : plan().levels) curve.push_back(slow_down(one_load(r, level)));
    }
    if (!plan().mixture.empty()) result.mixed = slow_down(plan().mixture);
    return result;
  }

  SingleRound one() {
    SingleRound round;
    for (std::size_t s = 0; s < stages_; ++s) {
      const int stage = static_cast<int>(s);
      round.alone.push_back(runs_.alone(stage));
      step();
      std::vector<double> lost(resources_, 1);
      auto beside = answers([&](const std::vector<double>& levels) {
        const auto run = runs_.beside(stage, levels);
        step();
        for (std::size_t r = 0; r < resources_; ++r)
          if (levels == one_load(r, 1)) lost[r] = load_lost_in(run);
        return slow_down_while_both_run(run.alone_ns.value_or(round.alone[s]), run.time_ns, run.overlap);
      });
      beside.load_lost = std::move(lost);
      round.answers.stages.push_back(std::move(beside));
    }
    for (std::size_t q = 0; q < resources_ && settings_.loads; ++q)
      round.answers.loads.push_back(answers([&](const std::vector<double>& levels) {
        const double lost = runs_.load_beside(static_cast<int>(q), levels);
        step();
        return lost;
      }));
    return round;
  }

  const std::size_t stages_, resources_;
  LoadedRuns& runs_;
  const SingleSettings& settings_;
  std::uint64_t done_ = 0;
};

/// Around `value`, the spread of what single rounds gave instead, on a logarithmic scale where they are factors.
Estimate estimate_of(double value, std::vector<double> rounds, bool is_factor = true) {
  if (is_factor)
    for (double& round : rounds) round = std::log(std::max(round, 1e-9));
  const auto half = half_width_of_mean(rounds);
  if (!half) return {value, value, value};
  if (!is_factor) return {value, std::max(0.0, value - *half), std::min(most_pressure, value + *half)};
  return {value, value * std::exp(-*half), value * std::exp(*half)};
}

/// Everything that follows from the rounds: of all together, and of each for itself.
class SingleAnalysis {
 public:
  SingleAnalysis(const std::vector<SingleRound>& rounds, const LoadPlan& plan, SingleReport& report)
      : rounds_(rounds), plan_(plan), report_(report) {
    std::vector<LoadRound> answers;
    for (const SingleRound& round : rounds) {
      answers.push_back(round.answers);
      by_round_.push_back(stage_contentions(round.answers, plan));
    }
    medians_ = median_of(answers);
    report_.contentions = stage_contentions(medians_, plan);
  }

  void fill() {
    for (std::size_t s = 0; s < report_.stages.size(); ++s) add_stage(s);
    for (std::size_t q = 0; q < report_.resources.size(); ++q)
      add_sensitivity("[load of " + report_.resources[q] + "]", q, &LoadRound::loads);
    for (std::size_t i = 0; i < report_.stages.size(); ++i)
      for (std::size_t j = 0; j < report_.stages.size(); ++j) add_pair(i, j);
  }

 private:
  template <typename Value>
  Estimate over_rounds(double value, const Value& of_round, bool is_factor = true) const {
    std::vector<double> values;
    for (std::size_t k = 0; k < rounds_.size(); ++k) values.push_back(of_round(k));
    return estimate_of(value, std::move(values), is_factor);
  }

  void add_stage(std::size_t s) {
    std::vector<double> alone;
    for (const SingleRound& round : rounds_) alone.push_back(round.alone[s]);
    AloneRow& row = report_.alone.emplace_back();
    row.stage = report_.stages[s];
    const double average = *mean(alone);
    row.mean = Duration(average / 1e3);
    double drift = 0;
    for (const double one : alone) drift = std::max(drift, average > 0 ? std::abs(one / average - 1) : 0);
    row.drift = drift;
    add_sensitivity(report_.stages[s], s, &LoadRound::stages);
    for (std::size_t r = 0; r < report_.resources.size(); ++r) add_pressure(s, r);
  }

  void add_sensitivity(const std::string& name, std::size_t s, std::vector<AnswersToLoads> LoadRound::*side) {
    for (std::size_t r = 0; r < report_.resources.size(); ++r)
      for (std::size_t k = 0; k < plan_.levels.size(); ++k)
        report_.loaded.push_back({name, report_.resources[r], plan_.levels[k],
                                  over_rounds((medians_.*side)[s].slow_downs[r][k], [&](std::size_t round) {
                                    return (rounds_[round].answers.*side)[s].slow_downs[r][k];
                                  })});
  }

  void add_pressure(std::size_t s, std::size_t r) {
    PressureRow& row = report_.pressures.emplace_back();
    row.stage = report_.stages[s], row.resource = report_.resources[r];
    row.load_lost = over_rounds(medians_.stages[s].load_lost[r],
                                [&](std::size_t round) { return rounds_[round].answers.stages[s].load_lost[r]; });
    row.pressure = over_rounds(
        report_.contentions[s].pressure[r], [&](std::size_t round) { return by_round_[round][s].pressure[r]; }, false);
    row.weaker_share = report_.contentions[s].weaker_share;
  }

  void add_pair(std::size_t i, std::size_t j) {
    const Estimate found =
        over_rounds(predicted_slow_down(report_.contentions[i], report_.contentions[j]),
                    [&](std::size_t k) { return predicted_slow_down(by_round_[k][i], by_round_[k][j]); });
    PairRow& row = report_.pairs.emplace_back();
    row.stage = report_.stages[i], row.beside = report_.stages[j];
    row.stage_number = static_cast<int>(i), row.beside_number = static_cast<int>(j);
    row.factor = found.value, row.low = found.low, row.high = found.high;
    row.predicted = true;
    row.significant = found.low > 1 && found.value >= slow_down::least_factor;
  }

  const std::vector<SingleRound>& rounds_;
  const LoadPlan& plan_;
  SingleReport& report_;
  std::vector<std::vector<StageContention>> by_round_;
  LoadRound medians_;
};

}  // namespace

std::vector<double> even_levels(int count) {
  std::vector<double> levels;
  for (int k = 1; k <= count; ++k) levels.push_back(static_cast<double>(k) / count);
  return levels;
}

std::vector<SingleRound> measure_rounds(std::size_t stages, std::size_t resources, LoadedRuns& runs,
                                        const SingleSettings& settings) {
  return SingleMeasuring(stages, resources, runs, settings).all();
}

SingleReport single_report(const std::vector<std::string>& stages, const std::vector<std::string>& resources,
                           const std::vector<SingleRound>& rounds, const LoadPlan& plan) {
  SingleReport report;
  report.stages = stages, report.resources = resources;
  SingleAnalysis(rounds, plan, report).fill();
  report.rounds = static_cast<int>(rounds.size());
  return report;
}

SingleReport measure_single(const std::vector<std::string>& stages, const std::vector<std::string>& resources,
                            LoadedRuns& runs, const SingleSettings& settings) {
  if (stages.empty() || resources.empty() || settings.plan.levels.empty())
    throw Error(ErrorKind::bad_input, "interference: the pipeline has no stage or no load; describe at least one");
  const auto rounds = measure_rounds(stages.size(), resources.size(), runs, settings);
  if (rounds.empty())
    throw Error(ErrorKind::runtime, "interference: stopped before everything was measured once; let it run longer");
  SingleReport report = single_report(stages, resources, rounds, settings.plan);
  report.interrupted = report.rounds < SingleMeasuring::rounds_wanted(settings);
  return report;
}

PredictionCheck check_predictions(const SingleReport& predicted, const InterferenceReport& measured) {
  PredictionCheck check;
  double sum = 0, count = 0;
  for (std::size_t p = 0; p < predicted.pairs.size(); ++p) {
    const PairRow& said = predicted.pairs[p];
    PredictionRow& row = check.rows.emplace_back();
    row.stage = said.stage, row.beside = said.beside;
    row.predicted = {*said.factor, *said.low, *said.high};
    row.measured = measured.pairs[p].factor;
    if (!row.measured) continue;
    row.error = *said.factor / *row.measured - 1;
    sum += std::abs(*row.error), ++count;
    check.largest_error = std::max(check.largest_error.value_or(0), std::abs(*row.error));
  }
  if (count > 0) check.mean_error = sum / count;
  return check;
}

}  // namespace takt
