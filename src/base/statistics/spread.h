// Mean, median, p90 and p99 of many spans of time without sorting them: that would cost more than the rest of the
// account.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/basics/units.h"

namespace takt {

/// What many spans of time look like. The total is exact; the others are missing where there was no span.
struct Spread {
  std::int64_t count = 0;
  Nanoseconds total{};
  std::optional<Duration> mean, median, p90, p99, max;
};

/// Percentiles as in statistics.h.
Spread describe(std::span<const std::int64_t> nanoseconds);

/// nullopt: no samples.
std::optional<Duration> median(std::span<const std::int64_t> nanoseconds);

}  // namespace takt
