// How many samples carry a percentile, and between which values it lies.
//
// The interval is that of order statistics: whatever the distribution is, the number of n independent samples below the
// true quantile q is binomial, so the ranks that hold its middle 95 % bracket it (Wilks 1948; between ranks the binomial
// is interpolated, else few samples give intervals that are too wide). Latencies of a server are not independent: a slow
// run comes beside slow ones. So n is the effective number: n / (1 + 2 Σ ρ_k) with the autocorrelation ρ_k of "this run
// is above the percentile", summed over pairs of lags while they are above noise (Geyer's initial positive sequence,
// 1992). tests/base/percentile_interval_test.cpp counts how often it covers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace takt {

/// The number of samples that a percentile needs: 3 divided by the share that lies beyond it, on its narrower side (so
/// many have one sample there with 95 %): 300 for 0.99 and 0.01, 3,000 for 0.999, 6 for 0.5. 1 for 0 and 1, which are
/// the least and the largest of what was seen. `fraction` in [0, 1].
std::size_t samples_for_percentile(double fraction);

/// Two ends, each missing where the samples do not reach so far.
struct PercentileInterval {
  std::optional<double> low, high;
};

/// `samples` in the order in which they were taken, `fraction` in (0, 1). Both ends are missing below 5 samples.
PercentileInterval percentile_interval(std::span<const double> samples, double fraction, double confidence = 0.95);

/// n / (1 + 2 Σ ρ_k), see above: at most as many as there are, 1 at least; 0 without samples.
double effective_samples(std::span<const double> samples, double threshold);

}  // namespace takt
