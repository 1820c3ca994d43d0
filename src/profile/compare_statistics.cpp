#include "profile/compare_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "core/statistics.h"

namespace takt {
namespace {

constexpr int shuffles = 16;

/// Mean of the values between the 5th percentile and the median. `values` is reordered.
double typical(std::span<double> values) {
  const std::size_t end = (values.size() + 1) / 2, begin = values.size() / 20;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(end) - 1, values.end());
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(begin),
                   values.begin() + static_cast<std::ptrdiff_t>(end));
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin),
                         values.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
         static_cast<double>(end - begin);
}

double variance_of(std::span<const double> values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double sum = 0;
  for (double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

/// Variance between the logarithms of the typical times of `blocks` contiguous parts.
double variance_between_blocks(std::vector<double> values, int blocks) {
  std::vector<double> levels;
  for (int block = 0; block < blocks; ++block) {
    const std::size_t from = values.size() * static_cast<std::size_t>(block) / static_cast<std::size_t>(blocks);
    const std::size_t to = values.size() * static_cast<std::size_t>(block + 1) / static_cast<std::size_t>(blocks);
    levels.push_back(std::log(typical(std::span(values).subspan(from, to - from))));
  }
  return variance_of(levels);
}

/// std::shuffle differs between standard libraries; the same profile must give the same answer everywhere.
void shuffle(std::vector<double>& values, std::mt19937_64& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

/// The regularised incomplete beta function I_x(a, 1/2) by its continued fraction (Lentz), for Student's distribution.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, 1 - x);
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x)) / a;
  constexpr double tiny = 1e-300;
  double f = 1, c = 1, d = 0;
  for (int i = 0; i <= 300; ++i) {
    const int pair = i / 2;
    const double m = pair;
    const double numerator = i == 0       ? 1
                             : i % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                                          : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 + numerator * d;
    d = 1 / (std::abs(d) < tiny ? tiny : d);
    c = 1 + numerator / c;
    c = std::abs(c) < tiny ? tiny : c;
    f *= c * d;
    if (std::abs(1 - c * d) < 1e-12) break;
  }
  return front * (f - 1);
}

}  // namespace

double median_of(std::span<const double> values) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return percentile(sorted, 0.5);
}

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
  std::mt19937_64 random(1);
  for (int i = 0; i < shuffles; ++i) {
    shuffle(values, random);
    level.shuffled_variance += variance_between_blocks(values, level.blocks) / shuffles;
  }
  return level;
}

double student_quantile(double freedom, double tail) {
  // P(T > t) = I_x(freedom/2, 1/2)/2 with x = freedom/(freedom + t²), falling in t: bisection on its logarithm.
  double low = 0, high = 1e6;
  for (int i = 0; i < 200; ++i) {
    const double middle = i < 60 && high > 10 * (low + 1) ? std::sqrt((low + 1) * (high + 1)) - 1 : (low + high) / 2;
    const double beyond = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + middle * middle)) / 2;
    (beyond > tail ? low : high) = middle;
  }
  return high;
}

}  // namespace takt
