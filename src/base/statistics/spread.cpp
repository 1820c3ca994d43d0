#include "base/statistics/spread.h"

#include <array>
#include <numeric>

#include "base/statistics/ranks.h"
#include "base/statistics/statistics.h"

namespace takt {
namespace {

/// In nanoseconds first: the distance of two integers is exact, that of two quotients is not.
Duration between(const PercentilePlace& place, std::int64_t low, std::int64_t high) {
  const auto from = static_cast<double>(low);
  return Duration((from + (static_cast<double>(high) - from) * place.rest) / 1e3);
}

}  // namespace

std::optional<Duration> median(std::span<const std::int64_t> nanoseconds) {
  if (nanoseconds.empty()) return std::nullopt;
  const PercentilePlace place = percentile_place(nanoseconds.size(), 0.5);
  const auto values = values_at_ranks(nanoseconds, std::array{place.below, place.above});
  return between(place, values[0], values[1]);
}

Spread describe(std::span<const std::int64_t> nanoseconds) {
  Spread spread;
  if (nanoseconds.empty()) return spread;
  spread.count = static_cast<std::int64_t>(nanoseconds.size());
  spread.total = Nanoseconds(std::accumulate(nanoseconds.begin(), nanoseconds.end(), std::int64_t{0}));
  spread.mean = Duration(spread.total) / static_cast<double>(spread.count);
  const PercentilePlace half = percentile_place(nanoseconds.size(), 0.5);
  const PercentilePlace most = percentile_place(nanoseconds.size(), 0.9);
  const PercentilePlace nearly_all = percentile_place(nanoseconds.size(), 0.99);
  const auto values =
      values_at_ranks(nanoseconds, std::array{half.below, half.above, most.below, most.above, nearly_all.below,
                                              nearly_all.above, nanoseconds.size() - 1});
  spread.median = between(half, values[0], values[1]);
  spread.p90 = between(most, values[2], values[3]);
  spread.p99 = between(nearly_all, values[4], values[5]);
  spread.max = Nanoseconds(values[6]);
  return spread;
}

}  // namespace takt
