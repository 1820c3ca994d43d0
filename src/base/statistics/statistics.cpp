#include "base/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/basics/check.h"
#include "base/statistics/percentile_interval.h"
#include "base/statistics/random.h"

namespace takt {
namespace {

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::optional<Summary> summarize_microseconds(std::vector<double> us) {
  if (us.empty()) return std::nullopt;
  std::sort(us.begin(), us.end());
  Summary summary;
  summary.count = us.size();
  summary.mean = Duration(*mean(us));
  summary.min = Duration(us.front());
  summary.max = Duration(us.back());
  summary.median = Duration(percentile(us, 0.5));
  summary.p90 = Duration(percentile(us, 0.9));
  if (us.size() >= samples_for_percentile(0.99)) summary.p99 = Duration(percentile(us, 0.99));
  if (const auto square = variance(us)) summary.stddev = Duration(std::sqrt(*square));
  return summary;
}

template <typename Time>
std::vector<double> microseconds(std::span<const Time> samples) {
  std::vector<double> us;
  us.reserve(samples.size());
  for (const Time sample : samples) us.push_back(Duration(sample).count());
  return us;
}

/// Percentile bootstrap (Efron 1979): the quantiles of the statistic over resamples drawn with replacement.
template <typename Statistic>
std::optional<Interval> bootstrap(std::span<const double> samples, double confidence, std::uint64_t seed,
                                  Statistic statistic) {
  constexpr std::size_t fewest_samples = 5, resamples = 2000;
  if (samples.size() < fewest_samples) return std::nullopt;
  LongRandom random(seed);
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

PercentilePlace percentile_place(std::size_t count, double fraction) {
  TAKT_CHECK(count > 0);
  TAKT_CHECK(fraction >= 0 && fraction <= 1);
  const double rank = fraction * static_cast<double>(count - 1);
  const auto below = static_cast<std::size_t>(rank);
  return {below, std::min(below + 1, count - 1), rank - static_cast<double>(below)};
}

double percentile(std::span<const double> sorted, double fraction) {
  const PercentilePlace place = percentile_place(sorted.size(), fraction);
  if (place.below == place.above) return sorted[place.below];
  return sorted[place.below] + place.rest * (sorted[place.above] - sorted[place.below]);
}

std::optional<double> median(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  return percentile(sorted_copy(values), 0.5);
}

std::optional<Duration> median(std::span<const Nanoseconds> samples) {
  const auto middle = median(microseconds(samples));
  return middle ? std::optional(Duration(*middle)) : std::nullopt;
}

std::optional<double> mean(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> trimmed_mean(std::span<const Nanoseconds> samples, double cut) {
  TAKT_CHECK(cut >= 0 && cut < 0.5);
  std::vector<Nanoseconds> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const auto left_out = static_cast<std::size_t>(cut * static_cast<double>(sorted.size()));
  double sum = 0;
  for (std::size_t i = left_out; i + left_out < sorted.size(); ++i) sum += static_cast<double>(sorted[i].count());
  return sorted.empty() ? std::nullopt : std::optional(sum / static_cast<double>(sorted.size() - 2 * left_out));
}

std::optional<double> variance(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const double centre = *mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return squares / static_cast<double>(values.size() - 1);
}

std::optional<Summary> summarize(std::span<const Nanoseconds> samples) {
  return summarize_microseconds(microseconds(samples));
}

std::optional<Summary> summarize(std::span<const Duration> samples) {
  return summarize_microseconds(microseconds(samples));
}

std::optional<Interval> bootstrap_median(std::span<const double> samples, double confidence, std::uint64_t seed) {
  return bootstrap(samples, confidence, seed, [](std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return percentile(values, 0.5);
  });
}

std::optional<Interval> bootstrap_mean(std::span<const double> samples, double confidence, std::uint64_t seed) {
  return bootstrap(samples, confidence, seed, [](std::vector<double>& values) { return *mean(values); });
}

}  // namespace takt
