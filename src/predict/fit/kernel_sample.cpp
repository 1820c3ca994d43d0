#include "predict/fit/kernel_sample.h"

#include <algorithm>

#include "base/statistics/statistics.h"

namespace takt {

KernelSample sample_of(const CollectedModel& model, const CollectedKernel& kernel) {
  double sum = 0;
  for (const CollectedKernel& one : model.kernels) sum += one.latency_ms;
  const double part = kernel.latency_ms / sum * static_cast<double>(model.kernels.size());
  return {&kernel.facts, kernel.latency_ms * 1000, std::clamp(part, 0.1, 3.0)};
}

double least_time_us(const std::vector<KernelSample>& samples) {
  std::vector<double> times;
  for (const KernelSample& sample : samples) times.push_back(sample.us);
  std::sort(times.begin(), times.end());
  return percentile(times, 0.01);
}

}  // namespace takt
