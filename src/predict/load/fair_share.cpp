#include "predict/load/fair_share.h"

#include <algorithm>

namespace takt {
namespace {

constexpr std::size_t least_samples = 10;
constexpr double last_share = 0.2;

double mean_turns(std::span<const RunnableSample> samples, int processors) {
  double sum = 0;
  for (const RunnableSample& one : samples) sum += std::max(1.0, one.threads / processors);
  return sum / static_cast<double>(samples.size());
}

}  // namespace

std::optional<FairShare> fair_share_of(std::span<const RunnableSample> samples, int processors) {
  if (samples.size() < least_samples) return std::nullopt;
  const auto time = static_cast<double>((samples.back().time - samples.front().time).count());
  const Nanoseconds from = samples.back().time - Nanoseconds(static_cast<std::int64_t>(last_share * time));
  const auto first = std::find_if(samples.begin(), samples.end(), [&](const auto& one) { return one.time >= from; });
  const double all = mean_turns(samples, processors);
  return FairShare{all - 1, mean_turns({first, samples.end()}, processors) / all};
}

}  // namespace takt
