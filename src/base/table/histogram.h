// The shape of many samples in one line: where most lie, whether there are two humps, how long the tail is.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/basics/units.h"

namespace takt {

/// Samples counted in bins of one width, from the fastest on. A few far ones would press all others into the first bin,
/// so the bins end where the bulk (to the 95th percentile) has been passed by its own length.
struct Histogram {
  Duration low{}, high{}, slowest{};
  std::vector<std::size_t> counts;
  std::size_t beyond = 0;  ///< samples above `high`; not in `counts`
};

/// Returns the histogram of `samples` (not empty) with `bins` (not 0) bins.
Histogram histogram_of(std::span<const Nanoseconds> samples, std::size_t bins);

/// Returns a histogram in one line: "7.72 ms ▁▃▄██▅▂▁▁▁ ▁ 9.12 ms, 3 slower (up to 12.1 ms)". Empty below 5 samples,
/// and if all are equal. `bins` 0: one bin for every 3 samples, 10 to 40.
std::string histogram_line(std::span<const Nanoseconds> samples, std::size_t bins = 0);

}  // namespace takt
