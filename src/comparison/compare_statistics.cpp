#include "comparison/compare_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/check.h"
#include "core/random.h"
#include "core/statistics.h"

namespace takt {
namespace {

constexpr int shuffles = 16;

/// Mean of the values between the 5th percentile and the median. `values` is reordered.
double typical(std::span<double> values) {
  const std::size_t end = (values.size() + 1) / 2, begin = values.size() / 20;
  TAKT_CHECK(begin < end);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(end) - 1, values.end());
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(begin),
                   values.begin() + static_cast<std::ptrdiff_t>(end));
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin),
                         values.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
         static_cast<double>(end - begin);
}

/// Variance between the logarithms of the typical times of `blocks` contiguous parts.
double variance_between_blocks(std::vector<double> values, int blocks) {
  std::vector<double> levels;
  for (int block = 0; block < blocks; ++block) {
    const std::size_t from = values.size() * static_cast<std::size_t>(block) / static_cast<std::size_t>(blocks);
    const std::size_t to = values.size() * static_cast<std::size_t>(block + 1) / static_cast<std::size_t>(blocks);
    levels.push_back(std::log(typical(std::span(values).subspan(from, to - from))));
  }
  return *variance(levels);
}

}  // namespace

std::optional<RunLevel> run_level(std::span<const Nanoseconds> samples) {
  std::vector<double> values;
  for (Nanoseconds sample : samples)
    if (sample.count() > 0) values.push_back(static_cast<double>(sample.count()));
  if (values.size() < 5) return std::nullopt;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());

  RunLevel level;
  level.count = values.size();
  level.log_time = std::log(typical(std::span(sorted)));
  std::sort(sorted.begin(), sorted.end());
  level.log_fast = std::log(percentile(sorted, 0.05));
  level.spread = (std::log(percentile(sorted, 0.84)) - std::log(percentile(sorted, 0.16))) / 2;
  level.blocks = static_cast<int>(std::clamp<std::size_t>(values.size() / 4, 2, 10));
  level.block_variance = variance_between_blocks(values, level.blocks);
  LongRandom random(1);
  for (int i = 0; i < shuffles; ++i) {
    shuffle(values, random);
    level.shuffled_variance += variance_between_blocks(values, level.blocks) / shuffles;
  }
  return level;
}

}  // namespace takt
