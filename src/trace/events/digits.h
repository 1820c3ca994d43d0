// Numbers as decimal digits, eight at a time: three multiplications share the work that a loop does digit by digit.
// Half of what is written to a trace file is digits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace takt::digits {

constexpr std::size_t longest = 24;  ///< bytes that each function may write to, whatever it returns

namespace detail {

/// The digits of a number below 10^8, the first in the lowest byte (a binary-coded decimal, one digit a byte).
inline std::uint64_t eight(std::uint32_t value) {
  const std::uint64_t fours = (value / 10000) | std::uint64_t{value % 10000} << 32;
  const std::uint64_t hundreds = ((fours * 10486) >> 20) & 0x0000007F0000007F;
  const std::uint64_t twos = ((fours - hundreds * 100) << 16) | hundreds;
  const std::uint64_t tens = ((twos * 103) >> 10) & 0x000F000F000F000F;
  return ((twos - tens * 10) << 8) | tens;
}

inline void store(char* p, std::uint64_t bytes) {
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  std::memcpy(p, &bytes, sizeof bytes);
}

constexpr std::uint64_t zeros = 0x3030303030303030;

/// Without zeros in front; 0 is one digit.
inline char* put_short(char* p, std::uint32_t value) {
  const std::uint64_t bytes = eight(value);
  const int skipped = std::countr_zero(bytes | std::uint64_t{1} << 56) / 8;
  store(p, (bytes | zeros) >> (8 * skipped));
  return p + 8 - skipped;
}
inline char* put_eight(char* p, std::uint32_t value) {
  store(p, eight(value) | zeros);
  return p + 8;
}

/// ".000" to ".999"
inline constexpr auto decimals = [] {
  std::array<std::array<char, 4>, 1000> table{};
  for (std::size_t i = 0; i < 1000; ++i) {
    table[i] = {'.', static_cast<char>('0' + i / 100), static_cast<char>('0' + i / 10 % 10),
                static_cast<char>('0' + i % 10)};
  }
  return table;
}();

}  // namespace detail

/// Returns what is after the digits.
inline char* put_integer(char* p, std::uint64_t value) {
  constexpr std::uint64_t eight_digits = 100'000'000;
  if (value < eight_digits) return detail::put_short(p, static_cast<std::uint32_t>(value));
  const std::uint64_t high = value / eight_digits;
  const auto low = static_cast<std::uint32_t>(value % eight_digits);
  if (high < eight_digits) {
    p = detail::put_short(p, static_cast<std::uint32_t>(high));
  } else {
    p = detail::put_short(p, static_cast<std::uint32_t>(high / eight_digits));
    p = detail::put_eight(p, static_cast<std::uint32_t>(high % eight_digits));
  }
  return detail::put_eight(p, low);
}

/// Microseconds with three decimals, of nanoseconds that are not negative.
inline char* put_micros(char* p, std::int64_t nanoseconds) {
  const auto value = static_cast<std::uint64_t>(nanoseconds);
  p = put_integer(p, value / 1000);
  std::memcpy(p, detail::decimals[value % 1000].data(), 4);
  return p + 4;
}

}  // namespace takt::digits
