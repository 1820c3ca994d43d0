#include "pipeline/spread.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace takt {
namespace {

/// The value at rank fraction·(n−1), interpolated; everything before `from` must already be smaller or equal.
double select(std::vector<std::int64_t>& values, std::ptrdiff_t from, double fraction) {
  const double rank = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(rank);
  const auto at = values.begin() + below;
  std::nth_element(values.begin() + std::min(from, below), at, values.end());
  const double low = static_cast<double>(*at);
  const double rest = rank - std::floor(rank);
  if (rest == 0) return low;
  return low + (static_cast<double>(*std::min_element(at + 1, values.end())) - low) * rest;
}

Duration micros(double nanoseconds) { return Duration(nanoseconds / 1e3); }

}  // namespace

std::optional<Duration> median(std::vector<std::int64_t>& nanoseconds) {
  if (nanoseconds.empty()) return std::nullopt;
  return micros(select(nanoseconds, 0, 0.5));
}

Spread describe(std::vector<std::int64_t>& nanoseconds) {
  Spread spread;
  if (nanoseconds.empty()) return spread;
  const auto count = static_cast<std::ptrdiff_t>(nanoseconds.size());
  spread.count = count;
  spread.total = Nanoseconds(std::accumulate(nanoseconds.begin(), nanoseconds.end(), std::int64_t{0}));
  spread.mean = Duration(spread.total) / static_cast<double>(count);
  spread.median = median(nanoseconds);
  spread.p90 = micros(select(nanoseconds, (count - 1) / 2, 0.9));
  spread.max = Nanoseconds(*std::max_element(nanoseconds.begin(), nanoseconds.end()));
  return spread;
}

}  // namespace takt
