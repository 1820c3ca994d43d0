#include "predict/fit/overhead.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/statistics/statistics.h"

namespace takt {
namespace {

constexpr double least_left = 0.05;  // of what was recorded

double recorded_in(std::span<const KernelTime> kernels) {
  double sum = 0;
  for (const KernelTime& kernel : kernels) sum += kernel.us;
  return sum;
}

/// Of one model: how many kernels it has, and its unobserved time less the sum of their recorded ones.
struct Rest {
  double kernels = 0, us = 0;
};

double deviation(std::span<const Rest> rests, const Overhead& line) {
  double sum = 0;
  for (const Rest& rest : rests) sum += std::abs(rest.us - line.fixed_us - line.per_kernel_us * rest.kernels);
  return sum;
}

// A best line of least absolute deviations passes through two of the samples (Bloomfield and Steiger, 1983), and there
// are few models, so all pairs are tried.
Overhead line_through(std::span<const Rest> rests) {
  std::vector<double> values;
  for (const Rest& rest : rests) values.push_back(rest.us);
  Overhead best{median(std::span<const double>(values)).value_or(0), 0};
  if (rests.size() < 3) return best;
  double least = deviation(rests, best);
  for (std::size_t i = 0; i < rests.size(); ++i)
    for (std::size_t j = i + 1; j < rests.size(); ++j) {
      if (rests[i].kernels == rests[j].kernels) continue;
      const double slope = (rests[j].us - rests[i].us) / (rests[j].kernels - rests[i].kernels);
      const Overhead line{rests[i].us - slope * rests[i].kernels, slope};
      if (const double sum = deviation(rests, line); sum < least) least = sum, best = line;
    }
  return best;
}

}  // namespace

double Overhead::whole(std::span<const KernelTime> kernels, double io_bytes) const {
  if (launching) return launching->whole(kernels, io_bytes);
  const double recorded = recorded_in(kernels);
  return std::max(recorded + fixed_us + per_kernel_us * static_cast<double>(kernels.size()), least_left * recorded);
}

double Overhead::taken_out(double recorded_us) const {
  return std::max(recorded_us + std::min(per_kernel_us, 0.0), least_left * recorded_us);
}

Overhead fit_overhead(std::span<const WholeSample> samples, std::string_view device) {
  if (device != "CPU") return {0, 0, fit_launching(samples)};
  std::vector<Rest> rests;
  for (const WholeSample& one : samples)
    rests.push_back({static_cast<double>(one.kernels.size()), one.us - recorded_in(one.kernels)});
  return line_through(rests);
}

}  // namespace takt
