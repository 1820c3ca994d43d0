#include "predict/fit/conformal.h"

#include <algorithm>
#include <cmath>

namespace takt {

std::optional<double> conformal_width(std::span<const double> errors, double confidence) {
  if (errors.empty()) return std::nullopt;
  std::vector<double> sorted(errors.begin(), errors.end());
  std::sort(sorted.begin(), sorted.end());
  // A little less, so that 9.000000000000002 is the ninth.
  const double rank = std::ceil(static_cast<double>(sorted.size() + 1) * confidence - 1e-9);
  const auto place = std::min(sorted.size(), static_cast<std::size_t>(std::max(1.0, rank)));
  return sorted[place - 1];
}

std::size_t errors_needed(double confidence) {
  return static_cast<std::size_t>(std::ceil(confidence / (1 - confidence) - 1e-9));
}

}  // namespace takt
