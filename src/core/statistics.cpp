#include "core/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

namespace takt {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_of(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return percentile(values, 0.5);
}

/// Percentile bootstrap (Efron 1979): the quantiles of the statistic over resamples drawn with replacement.
template <typename Statistic>
std::optional<Interval> bootstrap(std::span<const double> samples, double confidence, std::uint64_t seed,
                                  Statistic statistic) {
  constexpr std::size_t fewest_samples = 5, resamples = 2000;
  if (samples.size() < fewest_samples) return std::nullopt;
  std::mt19937_64 random(seed);
  std::vector<double> resample(samples.size()), values;
  values.reserve(resamples);
  for (std::size_t i = 0; i < resamples; ++i) {
    // Modulo keeps the draw the same on every standard library; its bias is below 1e-12 for realistic sample counts.
    for (double& value : resample) value = samples[random() % samples.size()];
    values.push_back(statistic(resample));
  }
  std::sort(values.begin(), values.end());
  return Interval{percentile(values, (1 - confidence) / 2), percentile(values, (1 + confidence) / 2), confidence};
}

}  // namespace

double percentile(std::span<const double> sorted, double fraction) {
  if (sorted.empty()) throw std::invalid_argument("percentile of no samples");
  if (!(fraction >= 0 && fraction <= 1)) throw std::invalid_argument("percentile outside [0, 1]");
  double rank = fraction * static_cast<double>(sorted.size() - 1);
  auto below = static_cast<std::size_t>(rank);
  if (below + 1 >= sorted.size()) return sorted.back();
  double weight = rank - static_cast<double>(below);
  return sorted[below] + weight * (sorted[below + 1] - sorted[below]);
}

std::optional<Summary> summarize(std::span<const Nanoseconds> samples) {
  if (samples.empty()) return std::nullopt;
  std::vector<double> us;
  us.reserve(samples.size());
  for (Nanoseconds sample : samples) us.push_back(Duration(sample).count());
  std::sort(us.begin(), us.end());
  Summary summary;
  summary.count = us.size();
  double mean = mean_of(us);
  summary.mean = Duration(mean);
  summary.min = Duration(us.front());
  summary.max = Duration(us.back());
  summary.median = Duration(percentile(us, 0.5));
  summary.p90 = Duration(percentile(us, 0.9));
  summary.p99 = Duration(percentile(us, 0.99));
  if (us.size() > 1) {
    double squares = 0;
    for (double value : us) squares += (value - mean) * (value - mean);
    summary.stddev = Duration(std::sqrt(squares / static_cast<double>(us.size() - 1)));
  }
  return summary;
}

std::optional<Interval> bootstrap_median(std::span<const double> samples, double confidence, std::uint64_t seed) {
  return bootstrap(samples, confidence, seed, median_of);
}

std::optional<Interval> bootstrap_mean(std::span<const double> samples, double confidence, std::uint64_t seed) {
  return bootstrap(samples, confidence, seed, [](std::vector<double>& values) { return mean_of(values); });
}

}  // namespace takt
