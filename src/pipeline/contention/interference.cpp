#include "pipeline/contention/interference.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/statistics/significance.h"
#include "base/statistics/statistics.h"
#include "pipeline/contention/slow_down_rule.h"
#include "pipeline/contention/stage_durations.h"

namespace takt {
namespace {

constexpr double least_overlap = 0.05;
constexpr int least_permutations = 4999, enough_exceeding = 40;

/// Share of permutations of alone and together in which the difference of the means is at least as large.
double p_value_of_difference(const std::vector<double>& alone, const std::vector<double>& together, int permutations) {
  std::vector<double> pool = alone;
  pool.insert(pool.end(), together.begin(), together.end());
  double total = 0;
  for (const double value : pool) total += value;
  const std::size_t chosen = together.size();
  const auto few = static_cast<double>(chosen), many = static_cast<double>(pool.size() - chosen);
  const auto difference = [&](Random& random) {  // only those that are chosen need a random place
    double sum = 0;
    for (std::size_t i = 0; i < chosen; ++i) {
      std::swap(pool[i], pool[i + random() % (pool.size() - i)]);
      sum += pool[i];
    }
    return std::array{sum / few - (total - sum) / many};
  };
  const std::array found{*mean(together) - *mean(alone)};
  return permutation_p_values(found, {.permutations = permutations, .enough = enough_exceeding}, difference).front();
}

double drift_of(const StageDurations& durations) {
  const double usual = mean(durations.all).value_or(0);
  double drift = 0;
  for (const double round : durations.round_means) drift = std::max(drift, usual > 0 ? std::abs(round / usual - 1) : 0);
  return drift;
}

void judge(const StageDurations& alone, const StageDurations& together, std::size_t pairs, PairRow& row) {
  row.executions = static_cast<std::int64_t>(together.all.size());
  if (alone.all.empty() || together.all.empty()) return;
  const double single = *mean(alone.all), both = *mean(together.all);
  row.overlap = together.overlap();
  if (*row.overlap < least_overlap) return;  // they hardly ever ran at once: nothing can be told
  row.factor = slow_down_while_both_run(single, both, *row.overlap);
  const auto low = bootstrap_mean(alone.all, 0.975), high = bootstrap_mean(together.all, 0.975);
  if (low && high) {
    row.low = slow_down_while_both_run(low->high, high->low, *row.overlap);
    row.high = slow_down_while_both_run(low->low, high->high, *row.overlap);
  }
  // Enough of them that the limit for one of many pairs can be reached at all.
  const double limit = slow_down::significance / static_cast<double>(pairs);
  row.p_value =
      p_value_of_difference(alone.all, together.all, std::max(least_permutations, static_cast<int>(2 / limit)));
  row.significant =
      row.p_value <= limit && *row.factor >= slow_down::least_factor && both / single - 1 > 2 * drift_of(alone);
}

AloneRow alone_row(const std::string& stage, const StageDurations& durations, std::optional<double> bytes,
                   std::optional<double> peak) {
  AloneRow row;
  row.stage = stage;
  row.executions = static_cast<std::int64_t>(durations.all.size());
  if (durations.all.empty()) return row;
  const double usual = *mean(durations.all);
  row.mean = Duration(usual / 1e3);
  row.drift = drift_of(durations);
  const double time = durations.hardware_mean().value_or(usual);
  if (peak && bytes && time > 0) row.bandwidth_share = *bytes / (time / 1e9) / *peak;
  return row;
}

SlowdownCause cause_of(const StageDurations& alone, const StageDurations& together, std::optional<double> bandwidth,
                       std::optional<double> of_other) {
  const auto before = alone.hardware_mean(), after = together.hardware_mean();
  if (!before || !after) return SlowdownCause::unknown;
  const double more = mean(together.all).value_or(0) - mean(alone.all).value_or(0);
  if (*after - *before < more / 2) return SlowdownCause::scheduling;
  if (!bandwidth || !of_other) return SlowdownCause::unknown;
  return *bandwidth + *of_other > 0.5 ? SlowdownCause::memory : SlowdownCause::device;
}

bool is_wanted(const InterferenceSettings& settings, std::size_t stage, std::size_t beside) {
  return !settings.wanted || settings.wanted(static_cast<int>(stage), static_cast<int>(beside));
}

/// The pairs that are wanted of n stages: those that run at once, and how many rows say what they do both ways.
struct WantedPairs {
  std::size_t runs = 0, rows = 0;
};
WantedPairs wanted_pairs(std::size_t n, const InterferenceSettings& settings) {
  WantedPairs count;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j)
      if (is_wanted(settings, i, j)) ++count.runs, count.rows += i == j ? 1 : 2;
  return count;
}

/// Everything that was measured until now: n stages alone, n · n pairs.
struct Measured {
  std::vector<StageDurations> alone, together;
};

class Measuring {
 public:
  Measuring(const std::vector<std::string>& stages, const StageRunner& run, const InterferenceSettings& settings)
      : n_(stages.size()),
        run_(run),
        settings_(settings),
        rounds_(std::max(settings.rounds, 2)),
        pairs_(wanted_pairs(n_, settings).runs) {
    measured_.alone.resize(n_);
    measured_.together.resize(n_ * n_);
  }

  /// Gives the number of complete rounds.
  int all() {
    for (int round = 0; round < rounds_; ++round) {
      Measured before = measured_;
      if (one_round()) continue;
      measured_ = std::move(before);
      return round;
    }
    return rounds_;
  }
  const Measured& measured() const { return measured_; }
  int rounds() const { return rounds_; }

 private:
  bool stopped() const { return settings_.stop && *settings_.stop; }

  /// nullopt: stopped meanwhile.
  std::optional<PipelineRun> run(const std::vector<int>& stages) {
    if (stopped()) return std::nullopt;
    PipelineRun made = run_(stages);
    if (stopped()) return std::nullopt;
    const auto total = static_cast<std::uint64_t>(rounds_) * (n_ + pairs_);
    if (settings_.progress) settings_.progress(++done_, total);
    return made;
  }

  bool one_round() {
    for (std::size_t i = 0; i < n_; ++i) {
      const auto single = run({static_cast<int>(i)});
      if (!single) return false;
      add_durations(*single, 0, std::nullopt, measured_.alone[i]);
    }
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = i; j < n_; ++j) {
        if (!is_wanted(settings_, i, j)) continue;
        const auto pair = run({static_cast<int>(i), static_cast<int>(j)});
        if (!pair) return false;
        add_durations(*pair, 0, 1, measured_.together[i * n_ + j]);
        add_durations(*pair, 1, 0, measured_.together[j * n_ + i]);
      }
    return true;
  }

  const std::size_t n_;
  const StageRunner& run_;
  const InterferenceSettings& settings_;
  const int rounds_;
  const std::size_t pairs_;
  std::uint64_t done_ = 0;
  Measured measured_;
};

InterferenceReport report_of(const std::vector<std::string>& stages, const Measured& measured,
                             const InterferenceSettings& settings) {
  const std::size_t n = stages.size(), rows = wanted_pairs(n, settings).rows;
  InterferenceReport report;
  for (std::size_t i = 0; i < n; ++i)
    report.alone.push_back(alone_row(stages[i], measured.alone[i],
                                     i < settings.bytes.size() ? settings.bytes[i] : std::nullopt,
                                     settings.peak_bytes_per_second));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (!is_wanted(settings, i, j)) continue;
      const StageDurations& together = measured.together[i * n + j];
      PairRow& row = report.pairs.emplace_back();
      row.stage = stages[i], row.beside = stages[j];
      row.stage_number = static_cast<int>(i), row.beside_number = static_cast<int>(j);
      judge(measured.alone[i], together, rows, row);
      if (row.significant)
        row.cause =
            cause_of(measured.alone[i], together, report.alone[i].bandwidth_share, report.alone[j].bandwidth_share);
    }
  return report;
}

}  // namespace

InterferenceReport measure_interference(const std::vector<std::string>& stages, const StageRunner& run,
                                        const InterferenceSettings& settings) {
  if (stages.empty())
    throw Error(ErrorKind::bad_input, "interference: the pipeline has no stage; describe at least one");
  Measuring measuring(stages, run, settings);
  const int rounds = measuring.all();
  if (rounds == 0)
    throw Error(ErrorKind::runtime, "interference: stopped before everything was measured once; let it run longer");
  InterferenceReport report = report_of(stages, measuring.measured(), settings);
  report.rounds = rounds;
  report.interrupted = rounds < measuring.rounds();
  return report;
}

void doubt(std::vector<PairRow>& pairs) {
  for (PairRow& row : pairs)
    if (!row.predicted) row.significant = false, row.cause = SlowdownCause::unknown;
}

void doubt(InterferenceReport& report) {
  report.doubted = true;
  doubt(report.pairs);
}

}  // namespace takt
