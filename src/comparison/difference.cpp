#include "comparison/difference.h"

#include <algorithm>
#include <cmath>

#include "core/significance.h"
#include "core/statistics.h"

namespace takt {
namespace {

/// Degrees of freedom that the other operators' variance counts for among runs.
constexpr double prior_freedom = 4;
/// From one run to the next a machine may change its state (where its virtual processors run, whom it shares caches and
/// memory with): most operators then change by a few percent and some by factors. It shows as scatter of the operators'
/// changes above this many times what independent samples give (1 ± 0.2 by chance); an operator must then stand out
/// from that scatter, whose tails are those of Student's with few degrees. Several runs on each side see it by
/// themselves.
constexpr double state_excess = 1.8;
constexpr double state_freedom = 4;

std::optional<std::vector<RunLevel>> levels_of(const Series& series) {
  std::vector<RunLevel> levels;
  for (const auto& samples : series) {
    auto level = run_level(samples);
    if (!level) return std::nullopt;
    levels.push_back(*level);
  }
  return levels;
}

constexpr double chance_drift = 1.3;  // what the pooled figure reaches by chance

/// 0: samples look independent; towards 1: they depend on each other.
double dependence(double drift) { return std::max(0.0, 1 - chance_drift / drift); }

/// Variance of the difference if samples were independent of each other.
double independent_variance(const Difference& op) {
  double variance = 0;
  for (const auto* side : {&op.before, &op.after})
    for (const RunLevel& level : *side)
      variance += level.shuffled_variance / level.blocks / static_cast<double>(side->size() * side->size());
  return variance;
}

/// Variance between the runs of one side, both sides pooled.
double between_runs(const Difference& op, double freedom) {
  double sum = 0;
  for (const auto* side : {&op.before, &op.after})
    for (const RunLevel& level : *side) sum += std::pow(level.log_time - mean_level(*side), 2);
  return sum / freedom;
}

}  // namespace

double mean_level(const std::vector<RunLevel>& levels, double RunLevel::*value) {
  double sum = 0;
  for (const RunLevel& level : levels) sum += level.*value;
  return sum / static_cast<double>(levels.size());
}

std::optional<Difference> difference(const Series& before, const Series& after) {
  auto first = levels_of(before), second = levels_of(after);
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
        if (level.shuffled_variance > 0) excess.push_back(level.block_variance / level.shuffled_variance);
  return excess.empty() ? 1 : std::max(1.0, median(excess).value_or(0));
}

void use_samples(Difference& op, double drift, double share) {
  share += 2 * scatter_share * dependence(drift);
  op.variance = op.freedom = 0;
  for (const auto* side : {&op.before, &op.after})
    for (const RunLevel& level : *side) {
      // An operator's own drift counts where it is beyond the 1 in 1000 value of F(9, many).
      const bool own = level.block_variance > 3.1 * level.shuffled_variance;
      const double between_blocks =
          std::max(drift * level.shuffled_variance, own ? level.block_variance : level.shuffled_variance);
      // Samples that depend on each other count as their blocks.
      op.freedom += dependence(drift) > 0 ? level.blocks - 1 : static_cast<double>(level.count) / 2 - 1;
      const double slow = std::max(0.0, between_blocks - chance_drift * level.shuffled_variance);
      op.variance += (between_blocks / level.blocks + slow + std::pow(share * level.spread, 2)) /
                     static_cast<double>(side->size() * side->size());
    }
}

void use_runs(std::vector<Difference>& ops, double freedom) {
  std::vector<double> all;
  for (const Difference& op : ops) all.push_back(between_runs(op, freedom));
  const double prior = median(all).value_or(0);
  for (Difference& op : ops) {
    const double moderated = (prior_freedom * prior + freedom * between_runs(op, freedom)) / (prior_freedom + freedom);
    const double of_means =
        moderated * (1.0 / static_cast<double>(op.before.size()) + 1.0 / static_cast<double>(op.after.size()));
    op.variance = std::max(op.variance, of_means);
    op.freedom = prior_freedom + freedom;
  }
}

Shared shared_change(const std::vector<Difference>& ops) {
  if (ops.size() < enough_ops) return {};
  std::vector<double> values, scatter;
  for (const Difference& op : ops) values.push_back(op.value);
  Shared shared{median(values).value_or(0), 1};
  for (const Difference& op : ops)
    if (op.variance > 0) scatter.push_back(std::abs(op.value - shared.value) / std::sqrt(op.variance));
  shared.scale = std::max(1.0, 1.4826 * median(scatter).value_or(0));
  return shared;
}

double scatter_variance(const std::vector<Difference>& ops) {
  if (ops.size() < enough_ops) return 0;
  std::vector<double> values, deviations;
  for (const Difference& op : ops) values.push_back(op.value);
  const double shared = median(values).value_or(0);
  for (double value : values) deviations.push_back(std::abs(value - shared));
  return std::pow(1.4826 * median(deviations).value_or(0), 2);
}

double half_width(double variance, double freedom, double tail) {
  return student_quantile(freedom, tail) * std::sqrt(variance);
}

double half_width_of_state(const std::vector<Difference>& ops, double tail) {
  const double scatter = scatter_variance(ops);
  std::vector<double> expected;
  for (const Difference& op : ops) expected.push_back(std::sqrt(independent_variance(op)));
  if (std::sqrt(scatter) < state_excess * median(expected).value_or(0)) return 0;
  return half_width(scatter, state_freedom, tail);
}

}  // namespace takt
