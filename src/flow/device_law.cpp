#include "flow/device_law.h"

#include <algorithm>
#include <cmath>

namespace takt {
namespace {

constexpr double most_ns = 86'400e9;

Nanoseconds rounded(double ns) {
  if (!(ns > 0)) return Nanoseconds(0);
  return Nanoseconds(std::llround(std::min(ns, most_ns)));
}

}  // namespace

Nanoseconds law_time(const DeviceLaw& law, const OpDemand& demand) {
  if (const auto entry = law.by_type.find(demand.type); entry != law.by_type.end()) {
    const auto& linear = entry->second;
    return rounded(linear.fixed_ns + demand.flops.value_or(0) * linear.ns_per_flop +
                   demand.bytes.value_or(0) * linear.ns_per_byte);
  }
  if (!law.roofline || (!demand.flops && !demand.bytes)) return law.otherwise;
  const auto& roofline = *law.roofline;
  const double compute = demand.flops.value_or(0) / roofline.flops_per_second;
  const double memory = demand.bytes.value_or(0) / roofline.bytes_per_second;
  return rounded(std::max(compute, memory) * 1e9 + static_cast<double>(roofline.launch.count()));
}

Nanoseconds NoiseSource::apply(Nanoseconds duration) {
  if (noise_.shape == NoiseShape::none || noise_.sigma == 0) return duration;
  const double z = standard_normal(random_);
  const double factor = noise_.shape == NoiseShape::gaussian
                            ? 1.0 + noise_.sigma * z
                            : std::exp(noise_.sigma * z - noise_.sigma * noise_.sigma / 2);
  return rounded(static_cast<double>(duration.count()) * factor);
}

}  // namespace takt
