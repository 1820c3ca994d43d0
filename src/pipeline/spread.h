// Mean, median and p90 of many spans of time by selection: sorting ten million of them would cost more than the whole
// account of a run.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/account.h"

namespace takt {

/// Percentiles as in core/statistics.h. The order of the samples is lost.
Spread describe(std::vector<std::int64_t>& nanoseconds);

/// nullopt: no samples. The order of the samples is lost.
std::optional<Duration> median(std::vector<std::int64_t>& nanoseconds);

}  // namespace takt
