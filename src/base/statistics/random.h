// Seeded random numbers that are the same with every compiler and standard library.
//
// The standard's engines are, its distributions and std::shuffle are not; the draws below take their place and work on
// either generator: `Random` is eight bytes that are cheap to make anew for every execution that is simulated,
// `LongRandom` is for long streams (values of tensors, resamples). Which one is used where is part of what a seed
// promises: the same seed gives the same models, inputs and simulated runs in the next version, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace takt {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). Not thread-safe.
class Random {
 public:
  using result_type = std::uint64_t;

  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()();  ///< 64 uniform bits

  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return std::numeric_limits<std::uint64_t>::max(); }

 private:
  std::uint64_t state_;
};

using LongRandom = std::mt19937_64;

/// Returns a uniform number in [0, 1): the top 53 bits of one number.
template <typename Generator>
double uniform(Generator& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

/// Returns a uniform number in (0, 1], for logarithms.
template <typename Generator>
double positive_uniform(Generator& random) {
  return (static_cast<double>(random() >> 11) + 1.0) * 0x1p-53;
}

/// Returns a normal number with mean 0 and deviation 1. Always takes two numbers of the generator.
double standard_normal(Random& random);

/// Shuffles; every order is equally likely. The modulo makes results the same on all platforms; its bias is below 1e-12
/// for lists that fit into memory.
template <typename Value, typename Generator>
void shuffle(std::vector<Value>& values, Generator& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

}  // namespace takt
