// How long an operator takes on a device, as a law of its cost; and the seeded noise around it. Pure: no clock, no
// state but the random numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/basics/units.h"
#include "base/statistics/random.h"

namespace takt {

/// What one operator asks of a device; nullopt where not known.
struct OpDemand {
  std::string type;
  std::optional<double> flops, bytes;
};

/// time = max(flops / peak, bytes / bandwidth) + launch (Williams, Waterman, Patterson: Roofline, CACM 2009). A demand
/// with one of the two unknown is bounded by the other alone.
struct RooflineLaw {
  double flops_per_second = 0, bytes_per_second = 0;
  Nanoseconds launch{};
};

/// time = fixed + flops · ns_per_flop + bytes · ns_per_byte; what is unknown in the demand adds nothing.
struct LinearLaw {
  double fixed_ns = 0, ns_per_flop = 0, ns_per_byte = 0;
};

/// The first that applies: the table's entry for the type, the roofline if the demand is known, `otherwise`.
struct DeviceLaw {
  std::map<std::string, LinearLaw> by_type;
  std::optional<RooflineLaw> roofline;
  Nanoseconds otherwise{};
};

/// Rounded to whole nanoseconds, never negative, at most a day (so that sums of many cannot overflow).
Nanoseconds law_time(const DeviceLaw& law, const OpDemand& demand);

enum class NoiseShape { none, gaussian, lognormal };

/// Relative noise with mean 1: gaussian 1 + sigma·z, cut off at 0; lognormal exp(sigma·z − sigma²/2).
struct Noise {
  NoiseShape shape = NoiseShape::none;
  double sigma = 0;
};

/// Draws of a Noise. The same seed gives the same draws with every compiler.
/// Not thread-safe.
class NoiseSource {
 public:
  NoiseSource(Noise noise, std::uint64_t seed) : noise_(noise), random_(seed) {}
  Nanoseconds apply(Nanoseconds duration);

 private:
  Noise noise_;
  Random random_;
};

}  // namespace takt
