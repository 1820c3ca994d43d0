#include "predict/collect/round_noise.h"

#include <cmath>

#include "base/statistics/statistics.h"

namespace takt {

double mean_of_rounds(std::span<const double> values) { return mean(values).value_or(0); }

double middle_of_rounds(std::span<const double> values) { return median(values).value_or(0); }

std::optional<double> noise_of_rounds(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  const double sum = mean_of_rounds(values) * count;
  double noise = 0;
  for (const double value : values) noise += std::abs(value / ((sum - value) / (count - 1)) - 1);
  return noise / count;
}

}  // namespace takt
