#include "base/basics/half.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace takt {
namespace {

/// Rounds to `digits` binary digits and at least 2^`least` as unit in one step; through float it would be rounded
/// twice. nearbyint in the default mode rounds ties to even.
double rounded(double value, int digits, int least) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int unit = std::max(std::ilogb(value) - digits + 1, least);
  return std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
}

}  // namespace

std::uint16_t to_half(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return sign | 0x7E00;
  const double size = std::abs(rounded(value, 11, -24));
  if (size >= 65536) return sign | 0x7C00;
  if (size < 0x1p-14) return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::ldexp(size, 24)));
  const int exponent = std::ilogb(size);
  const auto mantissa = static_cast<std::uint16_t>(std::ldexp(size, 10 - exponent) - 1024);
  return static_cast<std::uint16_t>(sign | ((exponent + 15) << 10) | mantissa);
}

std::uint16_t to_bfloat(double value) {
  if (std::isnan(value)) return 0x7FC0;
  // What has at most 8 digits and bfloat16's exponents is a float, or rounds to infinity in one step.
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(rounded(value, 8, -133))) >> 16);
}

float from_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31, mantissa = half & 1023;
  const float sign = (half & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return mantissa != 0 ? std::nanf("") : sign * INFINITY;
  return sign * std::ldexp(static_cast<float>(exponent == 0 ? mantissa : 1024 + mantissa),
                           exponent == 0 ? -24 : exponent - 25);
}

float from_bfloat(std::uint16_t bfloat) { return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat) << 16); }

}  // namespace takt
