#include "pipeline/spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "pipeline/ranks.h"

namespace takt {
namespace {

Duration micros(double nanoseconds) { return Duration(nanoseconds / 1e3); }

/// The places on either side of rank fraction·(n−1), and how far it lies from the first to the second.
struct Place {
  Place(std::size_t count, double fraction) {
    const double rank = fraction * static_cast<double>(count - 1);
    below = static_cast<std::size_t>(rank);
    above = std::min(below + 1, count - 1);
    rest = rank - std::floor(rank);
  }
  Duration between(std::int64_t low, std::int64_t high) const {
    const auto from = static_cast<double>(low);
    return micros(from + (static_cast<double>(high) - from) * rest);
  }
  std::size_t below = 0, above = 0;
  double rest = 0;
};

}  // namespace

std::optional<Duration> median(std::span<const std::int64_t> nanoseconds) {
  if (nanoseconds.empty()) return std::nullopt;
  const Place place(nanoseconds.size(), 0.5);
  const auto values = values_at_ranks(nanoseconds, std::array{place.below, place.above});
  return place.between(values[0], values[1]);
}

Spread describe(std::span<const std::int64_t> nanoseconds) {
  Spread spread;
  if (nanoseconds.empty()) return spread;
  spread.count = static_cast<std::int64_t>(nanoseconds.size());
  spread.total = Nanoseconds(std::accumulate(nanoseconds.begin(), nanoseconds.end(), std::int64_t{0}));
  spread.mean = Duration(spread.total) / static_cast<double>(spread.count);
  const Place half(nanoseconds.size(), 0.5), most(nanoseconds.size(), 0.9);
  const auto values =
      values_at_ranks(nanoseconds, std::array{half.below, half.above, most.below, most.above, nanoseconds.size() - 1});
  spread.median = half.between(values[0], values[1]);
  spread.p90 = most.between(values[2], values[3]);
  spread.max = Nanoseconds(values[4]);
  return spread;
}

}  // namespace takt
