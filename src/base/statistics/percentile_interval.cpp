#include "base/statistics/percentile_interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/statistics/statistics.h"

namespace takt {
namespace {

constexpr std::size_t most_lags = 200;

/// Of "is above" at this distance: the sum of products of what deviates from its share.
double autocovariance(const std::vector<double>& deviations, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = 0; i + lag < deviations.size(); ++i) sum += deviations[i] * deviations[i + lag];
  return sum / static_cast<double>(deviations.size());
}

/// The k, between whole numbers, at which a binomial variable of `count` and `fraction` is below k with probability
/// `chance`.
double binomial_place(std::size_t count, double fraction, double chance) {
  const auto n = static_cast<double>(count);
  double below = 0;
  for (std::size_t i = 0; i <= count; ++i) {
    const auto k = static_cast<double>(i);
    const double likely = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                                   k * std::log(fraction) + (n - k) * std::log1p(-fraction));
    if (below + likely >= chance) return k + (likely > 0 ? (chance - below) / likely : 0);
    below += likely;
  }
  return n + 1;
}

/// The value at a rank from 1 on, between two of them in proportion; nullopt outside of what was seen.
std::optional<double> at_rank(const std::vector<double>& sorted, double rank) {
  const auto count = static_cast<double>(sorted.size());
  if (rank < 1 || rank > count) return std::nullopt;
  return percentile(sorted, sorted.size() > 1 ? (rank - 1) / (count - 1) : 0);
}

}  // namespace

std::size_t samples_for_percentile(double fraction) {
  const double beyond = std::min(fraction, 1 - fraction);
  // What 1 − 0.99 rounds to is a little less than a hundredth.
  return beyond <= 0 ? 1 : static_cast<std::size_t>(std::ceil(3 / beyond - 1e-6));
}

double effective_samples(std::span<const double> samples, double threshold) {
  const auto count = static_cast<double>(samples.size());
  double share = 0;
  for (const double sample : samples) share += sample > threshold;
  if (!samples.empty()) share /= count;
  const double spread = share * (1 - share);
  if (spread <= 0) return count;
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back((sample > threshold ? 1 : 0) - share);
  double sum = 0;
  for (std::size_t lag = 1; lag < std::min(samples.size() / 4, most_lags); lag += 2) {
    const double pair = (autocovariance(deviations, lag) + autocovariance(deviations, lag + 1)) / spread;
    if (pair <= 2 / std::sqrt(count)) break;
    sum += pair;
  }
  return std::max(1.0, count / (1 + 2 * sum));
}

PercentileInterval percentile_interval(std::span<const double> samples, double fraction, double confidence) {
  constexpr std::size_t fewest = 5;
  if (samples.size() < fewest || fraction <= 0 || fraction >= 1) return {};
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const auto place = percentile_place(sorted.size(), fraction);
  const auto effective = std::max(fewest, static_cast<std::size_t>(effective_samples(samples, sorted[place.below])));
  const double scale = static_cast<double>(sorted.size()) / static_cast<double>(effective);
  // Ranks 1 to `effective` spread over those of all samples, as far from either end.
  const auto end = [&](double chance) {
    return at_rank(sorted, (binomial_place(effective, fraction, chance) - 0.5) * scale + 0.5);
  };
  return {end((1 - confidence) / 2), end((1 + confidence) / 2)};
}

}  // namespace takt
