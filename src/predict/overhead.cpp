#include "predict/overhead.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/statistics.h"

namespace takt {
namespace {

constexpr double least_left = 0.05;  // of what was recorded

double deviation(std::span<const OverheadSample> samples, const Overhead& line) {
  double sum = 0;
  for (const OverheadSample& sample : samples)
    sum += std::abs(sample.us - line.fixed_us - line.per_kernel_us * sample.kernels);
  return sum;
}

}  // namespace

double Overhead::whole(double recorded_us, std::size_t kernels) const {
  return std::max(recorded_us + fixed_us + per_kernel_us * static_cast<double>(kernels), least_left * recorded_us);
}

double Overhead::taken_out(double recorded_us) const {
  return std::max(recorded_us + std::min(per_kernel_us, 0.0), least_left * recorded_us);
}

// A best line of least absolute deviations passes through two of the samples (Bloomfield and Steiger, 1983), and there
// are few models, so all pairs are tried.
Overhead fit_overhead(std::span<const OverheadSample> samples) {
  std::vector<double> values;
  for (const OverheadSample& sample : samples) values.push_back(sample.us);
  Overhead best{median(std::span<const double>(values)).value_or(0), 0};
  if (samples.size() < 3) return best;
  double least = deviation(samples, best);
  for (std::size_t i = 0; i < samples.size(); ++i)
    for (std::size_t j = i + 1; j < samples.size(); ++j) {
      if (samples[i].kernels == samples[j].kernels) continue;
      const double slope = (samples[j].us - samples[i].us) / (samples[j].kernels - samples[i].kernels);
      const Overhead line{samples[i].us - slope * samples[i].kernels, slope};
      if (const double sum = deviation(samples, line); sum < least) least = sum, best = line;
    }
  return best;
}

}  // namespace takt
