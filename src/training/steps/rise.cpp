#include "training/steps/rise.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace takt {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_around(std::span<const double> values, double level) {
  double sum = 0;
  for (const double value : values) sum += (value - level) * (value - level);
  return sum;
}

/// Of the straight line that fits best.
double squares_around_line(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double level = mean_of(values), middle = (n - 1) / 2;
  double cross = 0, spread = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    cross += x * (values[i] - level);
    spread += x * x;
  }
  return squares_around(values, level) - cross * cross / spread;
}

double quantile(std::span<const double> values, double fraction) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<std::size_t>(std::lround(fraction * static_cast<double>(sorted.size() - 1)))];
}

}  // namespace

std::optional<Rise> find_rise(std::span<const double> times, double least_rise) {
  constexpr std::size_t fewest = 5, shortest = 2;
  constexpr double standard_errors = 6, clock_noise = 0.005;
  if (times.size() < fewest) return std::nullopt;
  Rise best;
  double least = 0;
  for (std::size_t at = shortest; at + shortest <= times.size(); ++at) {
    const auto front = times.first(at), back = times.subspan(at);
    const double before = mean_of(front), after = mean_of(back);
    const double squares = squares_around(front, before) + squares_around(back, after);
    if (best.at != 0 && squares >= least) continue;
    least = squares;
    best = {at, before, after};
  }
  const double rise = best.after - best.before;
  if (!(rise >= least_rise * best.before)) return std::nullopt;
  const auto n = static_cast<double>(times.size()), first = static_cast<double>(best.at);
  const double noise = std::max(std::sqrt(least / (n - 2)), clock_noise * best.before);
  best.is_gradual = squares_around_line(times) < least;
  if (best.is_gradual) {
    const double line_noise = std::max(std::sqrt(squares_around_line(times) / (n - 2)), clock_noise * best.before);
    return rise >= standard_errors * line_noise * std::sqrt(4 / n) ? std::optional(best) : std::nullopt;
  }
  // A few very long steps at the end are no new level.
  if (quantile(times.subspan(best.at), 0.25) <= quantile(times.first(best.at), 0.75)) return std::nullopt;
  return rise >= standard_errors * noise * std::sqrt(1 / first + 1 / (n - first)) ? std::optional(best) : std::nullopt;
}

}  // namespace takt
