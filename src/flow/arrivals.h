// When batches come to an open source.
#pragma once

#include <cstdint>
#include <vector>

#include "base/basics/units.h"

namespace takt {

/// 0, period, 2·period … Throws Error(bad_input) if the period or the count is negative, the count is above 10^9, or
/// the last arrival is beyond 146 years.
std::vector<Nanoseconds> fixed_rate_arrivals(Nanoseconds period, std::int64_t count);

/// A Poisson process: independent, exponentially distributed gaps with this mean, the first before the first arrival.
/// The same seed gives the same times with every compiler. Throws as fixed_rate_arrivals does.
std::vector<Nanoseconds> poisson_arrivals(Nanoseconds mean_gap, std::int64_t count, std::uint64_t seed);

}  // namespace takt
