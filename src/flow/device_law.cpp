#include "flow/device_law.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
std::uint64_t NoiseSource::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Box-Muller; one of the two values, so that a draw costs two numbers whatever came before it.
double NoiseSource::normal() {
  constexpr double unit = 1.0 / 9007199254740992.0;  // 2^-53
  const double u = (static_cast<double>(next() >> 11) + 1.0) * unit;
  const double v = static_cast<double>(next() >> 11) * unit;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

Nanoseconds NoiseSource::apply(Nanoseconds duration) {
  if (noise_.shape == NoiseShape::none || noise_.sigma == 0) return duration;
  const double z = normal();
  const double factor = noise_.shape == NoiseShape::gaussian
                            ? 1.0 + noise_.sigma * z
                            : std::exp(noise_.sigma * z - noise_.sigma * noise_.sigma / 2);
  return rounded(static_cast<double>(duration.count()) * factor);
}

}  // namespace takt
