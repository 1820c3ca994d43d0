#include "measure/compare/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/basics/check.h"
#include "base/statistics/statistics.h"

namespace takt {
namespace {

constexpr std::size_t fewest_samples = 5;
constexpr std::size_t fewest_for_a_tail = 100;
constexpr std::size_t tail_part = 20;  // the slowest of so many
constexpr int most_blocks = 10;

/// The part of sorted values that the typical time is the mean of.
struct Middle {
  std::size_t begin = 0, end = 0;
  double low = 0, high = 0;  ///< its first and last value
  double mean = 0;
};

Middle middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Middle middle{values.size() / 20, (values.size() + 1) / 2};
  TAKT_CHECK(middle.begin < middle.end);
  middle.low = values[middle.begin], middle.high = values[middle.end - 1];
  middle.mean = *mean(std::span(values).subspan(middle.begin, middle.end - middle.begin));
  return middle;
}

/// By how much each sample moves the trimmed mean, times the number of samples: its winsorised value, centred, over the
/// share of samples that are kept. Relative to the mean, so in logarithms.
std::vector<double> pulls(const std::vector<double>& values, const Middle& middle) {
  std::vector<double> found;
  for (double value : values) found.push_back(std::clamp(value, middle.low, middle.high));
  const double centre = *mean(found);
  const double kept = static_cast<double>(middle.end - middle.begin) / static_cast<double>(values.size());
  for (double& value : found) value = (value - centre) / (kept * middle.mean);
  return found;
}

/// The slowest values: the least of them, and their mean.
struct Slowest {
  double least = 0, mean = 0, share = 0;
};

Slowest slowest_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t count = values.size() / tail_part;
  const auto slow = std::span(values).last(count);
  return {slow.front(), *mean(slow), static_cast<double>(count) / static_cast<double>(values.size())};
}

/// By how much each sample moves the mean of the slowest, times the number of samples, relative to that mean: the
/// influence of an expected shortfall, as far beyond `least` as the sample is.
std::vector<double> pulls(const std::vector<double>& values, const Slowest& slowest) {
  std::vector<double> found;
  for (const double value : values)
    found.push_back(std::max(0.0, value - slowest.least) / (slowest.share * slowest.mean));
  const double centre = *mean(found);
  for (double& value : found) value -= centre;
  return found;
}

std::vector<double> executed(std::span<const Nanoseconds> samples) {
  std::vector<double> values;
  for (Nanoseconds sample : samples)
    if (sample.count() > 0) values.push_back(static_cast<double>(sample.count()));
  return values;
}

/// Variance of a mean of `values` from that between `blocks` contiguous parts.
double variance_of_mean(const std::vector<double>& values, std::size_t blocks) {
  std::vector<double> means;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t from = values.size() * block / blocks, to = values.size() * (block + 1) / blocks;
    means.push_back(*mean(std::span(values).subspan(from, to - from)));
  }
  return *variance(means) / static_cast<double>(blocks);
}

RunLevel level_of(double time, const std::vector<double>& pull) {
  RunLevel level;
  level.count = pull.size();
  level.log_time = std::log(time);
  level.blocks = static_cast<int>(std::min<std::size_t>(pull.size() / 2, most_blocks));
  level.variance = variance_of_mean(pull, static_cast<std::size_t>(level.blocks));
  level.independent_variance = variance_of_mean(pull, pull.size());
  return level;
}

}  // namespace

std::optional<RunLevel> run_level(std::span<const Nanoseconds> samples) {
  const std::vector<double> values = executed(samples);
  if (values.size() < fewest_samples) return std::nullopt;
  const Middle middle = middle_of(values);
  RunLevel level = level_of(middle.mean, pulls(values, middle));
  level.depth = std::log(middle.mean / middle.low);
  return level;
}

std::optional<RunLevel> tail_level(std::span<const Nanoseconds> samples) {
  const std::vector<double> values = executed(samples);
  if (values.size() < fewest_for_a_tail) return std::nullopt;
  const Slowest slowest = slowest_of(values);
  return level_of(slowest.mean, pulls(values, slowest));
}

}  // namespace takt
