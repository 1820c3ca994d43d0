#include "measure/compare/difference.h"

#include <algorithm>
#include <cmath>

#include "base/statistics/significance.h"
#include "base/statistics/statistics.h"

namespace takt {

const StartScatter scatter_of_whole{0.008, 0.3}, scatter_of_ops{0.012, 0.3}, scatter_of_tail{0.1, 0};

namespace {

constexpr double chance_drift = 1.3;  // what the pooled figure reaches by chance

std::optional<std::vector<RunLevel>> levels_of(const Series& series, LevelOf level_of) {
  std::vector<RunLevel> levels;
  for (const auto& samples : series) {
    auto level = level_of(samples);
    if (!level) return std::nullopt;
    levels.push_back(*level);
  }
  return levels;
}

/// Two parts of a variance and how well each is known (Welch and Satterthwaite).
struct Part {
  double variance = 0, freedom = 1;
};

Part sum_of(const Part& a, const Part& b) {
  const double sum = a.variance + b.variance;
  if (sum <= 0) return {0, std::max(a.freedom, b.freedom)};
  return {sum, sum * sum / (a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom)};
}

/// Of a mean over the runs of a side, from their own scatter; nullopt: one run.
std::optional<Part> scatter_of(const std::vector<RunLevel>& levels) {
  if (levels.size() < 2) return std::nullopt;
  std::vector<double> times;
  for (const RunLevel& level : levels) times.push_back(level.log_time);
  return Part{*variance(times), static_cast<double>(levels.size()) - 1};
}

/// Of the difference of means, from runs alone (Welch). nullopt: one run on each side.
std::optional<Part> variance_of_runs(const Difference& op) {
  std::optional<Part> first = scatter_of(op.before), second = scatter_of(op.after);
  if (!first && !second) return std::nullopt;
  const bool borrowed = !first || !second;
  const Part before = first ? *first : *second, after = second ? *second : *first;
  const auto runs = [](const auto& side) { return static_cast<double>(side.size()); };
  const Part mean_before{before.variance / runs(op.before), before.freedom};
  const Part mean_after{after.variance / runs(op.after), after.freedom};
  if (borrowed) return Part{mean_before.variance + mean_after.variance, before.freedom};
  return sum_of(mean_before, mean_after);
}

}  // namespace

double mean_level(const std::vector<RunLevel>& levels) {
  double sum = 0;
  for (const RunLevel& level : levels) sum += level.log_time;
  return sum / static_cast<double>(levels.size());
}

std::optional<Difference> difference(const Series& before, const Series& after, LevelOf level_of) {
  auto first = levels_of(before, level_of), second = levels_of(after, level_of);
  if (!first || !second) return std::nullopt;
  Difference found{std::move(*first), std::move(*second)};
  found.value = mean_level(found.after) - mean_level(found.before);
  return found;
}

double pooled_drift(const std::vector<Difference>& ops) {
  std::vector<double> excess;
  for (const Difference& op : ops)
    for (const auto* side : {&op.before, &op.after})
      for (const RunLevel& level : *side)
        if (level.independent_variance > 0) excess.push_back(level.variance / level.independent_variance);
  return excess.empty() ? 1 : std::max(1.0, median(excess).value_or(0));
}

void use_samples(Difference& op, double drift, const StartScatter& start) {
  Part sampling{0, 0}, starts{0, prior_freedom};
  for (const auto* side : {&op.before, &op.after})
    for (const RunLevel& level : *side) {
      const double independent = level.independent_variance;
      // An operator's own drift counts where it is beyond the 1 in 1000 value of F(9, many).
      const double within = std::max(drift * independent, level.variance > 3.1 * independent ? level.variance : 0);
      const double slow = std::max(0.0, within - chance_drift * independent) * level.blocks;
      const double of_mean = 1 / static_cast<double>(side->size() * side->size());
      sampling.variance += within * of_mean;
      // Samples that depend on each other count as their blocks.
      sampling.freedom += drift > chance_drift ? level.blocks - 1 : static_cast<double>(level.count) / 2 - 1;
      starts.variance += (slow + std::pow(start.usual, 2) + std::pow(start.depth * level.depth, 2)) * of_mean;
    }
  op.sampling = sampling.variance;
  const Part both = sum_of(sampling, starts);
  // However many samples tell of this run, they say little of the next one.
  op.variance = both.variance, op.freedom = start.usual > 0 ? std::min(both.freedom, prior_freedom) : both.freedom;
}

void use_runs(std::vector<Difference>& ops, const std::vector<Difference>& others) {
  std::vector<double> all;
  for (const Difference& op : others)
    if (const auto seen = variance_of_runs(op)) all.push_back(seen->variance);
  std::sort(all.begin(), all.end());
  for (Difference& op : ops) {
    const auto seen = variance_of_runs(op);
    if (!seen) continue;
    const bool alone = others.size() < enough_ops;
    const double prior = alone ? op.variance : percentile(all, 0.9);
    // What all operators share from run to run is seen as often as there are runs, however many operators there are.
    const double weight = alone ? prior_freedom : std::clamp(seen->freedom, prior_freedom / 2, prior_freedom);
    op.freedom = weight + seen->freedom;
    op.variance = std::max(op.sampling, (weight * prior + seen->freedom * seen->variance) / op.freedom);
  }
}

double half_width(const Difference& op, double tail) {
  return student_quantile(op.freedom, tail) * std::sqrt(op.variance);
}

}  // namespace takt
