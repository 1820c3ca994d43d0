// Mean, median and p90 of many spans of time without sorting them: that would cost more than the rest of the account.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "pipeline/account.h"

namespace takt {

/// Percentiles as in core/statistics.h.
Spread describe(std::span<const std::int64_t> nanoseconds);

/// nullopt: no samples.
std::optional<Duration> median(std::span<const std::int64_t> nanoseconds);

}  // namespace takt
