#include "base/statistics/random.h"

#include <cmath>
#include <numbers>

namespace takt {

std::uint64_t Random::operator()() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Box-Muller; the second of its two values is left, so that a draw does not depend on the one before.
double standard_normal(Random& random) {
  const double radius = std::sqrt(-2.0 * std::log(positive_uniform(random)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(random));
}

}  // namespace takt
