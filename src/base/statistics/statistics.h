// Descriptive statistics of samples, defined once.
//
// Percentiles describe and are never added; means add. One percentile rule (linear interpolation between the two
// nearest ranks, as NumPy and pandas do by default); variance in the two-pass form with n-1, which does not lose digits
// when the mean is large against the spread. What cannot be told from so few samples is nullopt, never zero. Samples in
// integer nanoseconds by the million: spread.h; what chance alone would give: significance.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/basics/units.h"

namespace takt {

/// Where the percentile of `count` sorted values lies: between two neighbouring places, `rest` of the way up.
struct PercentilePlace {
  std::size_t below = 0, above = 0;
  double rest = 0;
};
/// `count` not 0, `fraction` in [0, 1]: rank fraction·(count−1).
PercentilePlace percentile_place(std::size_t count, double fraction);

/// `sorted` ascending and not empty, `fraction` in [0, 1]: the value at rank fraction·(n−1), interpolated linearly.
/// One sample is its own percentile at every fraction. Anything else is a mistake of the caller.
double percentile(std::span<const double> sorted, double fraction);

/// Returns the median of values in any order; nullopt if there are none.
std::optional<double> median(std::span<const double> values);
std::optional<Duration> median(std::span<const Nanoseconds> samples);

std::optional<double> mean(std::span<const double> values);  ///< nullopt if there are none
/// Returns the mean without the share `cut` (below 0.5) of the samples at either end, in ns; nullopt if there are none.
std::optional<double> trimmed_mean(std::span<const Nanoseconds> samples, double cut);
std::optional<double> variance(std::span<const double> values);  ///< of the sample (n-1); needs two values

struct Summary {
  std::size_t count = 0;
  Duration mean{}, min{}, median{}, p90{}, max{};
  std::optional<Duration> p99{};     ///< from 300 samples on, which carry it (percentile_interval.h)
  std::optional<Duration> stddev{};  ///< sample standard deviation (n-1); needs two samples
};

/// nullopt: no samples. Order of the samples does not matter.
std::optional<Summary> summarize(std::span<const Nanoseconds> samples);
std::optional<Summary> summarize(std::span<const Duration> samples);

/// An interval for a statistic, and the share of repetitions that should contain the true value.
struct Interval {
  double low = 0, high = 0;
  double confidence = 0.95;
};

/// Percentile-bootstrap interval of the median (2,000 resamples, seeded: same samples, same interval).
/// nullopt below 5 samples, where it would claim more than it knows.
std::optional<Interval> bootstrap_median(std::span<const double> samples, double confidence = 0.95,
                                         std::uint64_t seed = 1);

/// The same for the mean.
std::optional<Interval> bootstrap_mean(std::span<const double> samples, double confidence = 0.95,
                                       std::uint64_t seed = 1);

}  // namespace takt
