// IEEE binary16 and bfloat16: C++20 has neither, models have both.
#pragma once

#include <cstdint>

namespace takt {

/// The nearest representable value, ties to even; beyond the range infinity, NaN stays NaN.
std::uint16_t to_half(double value);
std::uint16_t to_bfloat(double value);

/// Exact.
float from_half(std::uint16_t half);
float from_bfloat(std::uint16_t bfloat);

}  // namespace takt
