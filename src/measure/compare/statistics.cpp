#include "measure/compare/statistics.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/basics/check.h"
#include "base/statistics/statistics.h"

namespace takt {
namespace {

constexpr std::size_t fewest_samples = 5;
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

/// Variance of a mean of `values` from that between `blocks` contiguous parts.
double variance_of_mean(const std::vector<double>& values, std::size_t blocks) {
  std::vector<double> means;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t from = values.size() * block / blocks, to = values.size() * (block + 1) / blocks;
    means.push_back(*mean(std::span(values).subspan(from, to - from)));
  }
  return *variance(means) / static_cast<double>(blocks);
}

}  // namespace

std::optional<RunLevel> run_level(std::span<const Nanoseconds> samples) {
  std::vector<double> values;
  for (Nanoseconds sample : samples)
    if (sample.count() > 0) values.push_back(static_cast<double>(sample.count()));
  if (values.size() < fewest_samples) return std::nullopt;
  const Middle middle = middle_of(values);
  const std::vector<double> pull = pulls(values, middle);

  RunLevel level;
  level.count = values.size();
  level.log_time = std::log(middle.mean);
  level.depth = std::log(middle.mean / middle.low);
  level.blocks = static_cast<int>(std::min<std::size_t>(values.size() / 2, most_blocks));
  level.variance = variance_of_mean(pull, static_cast<std::size_t>(level.blocks));
  level.independent_variance = variance_of_mean(pull, values.size());
  return level;
}

}  // namespace takt
