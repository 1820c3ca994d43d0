#include "predict/fit/known_kernels.h"

#include <cmath>

namespace takt {
namespace {

constexpr double like_factor = 1.4;        // half a doubling; caches differ by four from level to level
constexpr double small_bytes = 64 * 1024;  // below it everything is in the nearest caches anyway

bool is_like(double one, double other) {
  const double ratio = (one + small_bytes) / (other + small_bytes);
  return ratio < like_factor && ratio > 1 / like_factor;
}

KnownTime place_of(const KernelFacts& facts, double us) {
  const double reuse = facts[Feature::reuse_bytes];
  return {facts[Feature::model_weight_bytes], std::isnan(reuse) ? 0 : reuse, us};
}

}  // namespace

void KnownKernels::add(const KernelFacts& facts, double us) { add(facts.id, place_of(facts, us)); }

std::optional<double> KnownKernels::find(const KernelFacts& facts) const {
  const auto found = times_.find(facts.id);
  if (found == times_.end()) return std::nullopt;
  const KnownTime here = place_of(facts, 0);
  double sum = 0;
  int count = 0;
  for (const KnownTime& time : found->second) {
    if (!is_like(time.model_weight_bytes, here.model_weight_bytes) || !is_like(time.reuse_bytes, here.reuse_bytes))
      continue;
    sum += std::log(time.us), ++count;
  }
  if (count == 0) return std::nullopt;
  return std::exp(sum / count);
}

}  // namespace takt
