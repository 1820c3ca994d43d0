#include "measure/operators/typical.h"

#include <vector>

#include "base/statistics/statistics.h"

namespace takt {

Duration typical_time(std::span<const Nanoseconds> samples) {
  std::vector<Nanoseconds> executed;
  for (const Nanoseconds sample : samples)
    if (sample.count() != 0) executed.push_back(sample);
  const auto middle = median(executed);
  return middle ? *middle * (static_cast<double>(executed.size()) / static_cast<double>(samples.size())) : Duration(0);
}

std::optional<double> unsteadiness(std::span<const Nanoseconds> samples) {
  constexpr std::size_t fewest = 5;
  constexpr double marked_from = 1.5;
  const Duration typical = typical_time(samples);
  if (samples.size() < fewest || typical <= Duration(0)) return std::nullopt;
  Nanoseconds sum{};
  for (const Nanoseconds sample : samples) sum += sample;
  const double ratio = Duration(sum) / static_cast<double>(samples.size()) / typical;
  return ratio >= marked_from ? std::optional(ratio) : std::nullopt;
}

}  // namespace takt
