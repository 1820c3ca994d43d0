// Plain numbers read where they stand, eight digits at a time: what nearly every number of a trace file is. Whatever is
// not plain (a sign, an exponent, more digits, quotes) is left to the general parsers, which read a number twice: once
// for its end and once for its value.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace takt::quick_number {

/// Digits at `p`, at most 8 of them. 8 bytes must be readable.
struct Digits {
  std::uint32_t value = 0;
  int count = 0;
};

[[gnu::always_inline]] inline Digits read_digits(const char* p) {
  std::uint64_t bytes;
  std::memcpy(&bytes, p, sizeof bytes);
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  bytes ^= 0x3030303030303030;
  // The first byte above 9 sets its highest bit; what it carries on only reaches bytes after it.
  const std::uint64_t others = ((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080;
  const int count = others == 0 ? 8 : std::countr_zero(others) / 8;
  if (count == 0) return {};
  bytes <<= 64 - 8 * count;  // leading zeros instead of what follows
  bytes = bytes * 10 + (bytes >> 8);
  bytes =
      ((bytes & 0x000000FF000000FF) * 0x000F424000000064 + ((bytes >> 16) & 0x000000FF000000FF) * 0x0000271000000001) >>
      32;
  return {static_cast<std::uint32_t>(bytes), count};
}

/// Up to 16 digits; returns what is after them.
[[gnu::always_inline]] inline const char* read_whole(const char* p, std::int64_t& value, int& count) {
  constexpr std::int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  const Digits high = read_digits(p);
  value = high.value;
  count = high.count;
  if (count < 8) return p + count;
  const Digits low = read_digits(p + 8);
  value = value * powers[low.count] + low.value;
  count += low.count;
  return p + count;
}

inline bool ends_number(char c) { return c == ',' || c == '}' || c == ' ' || c == '\n' || c == '\r'; }

/// Up to 16 digits. Returns what is after them, a comma, a brace or a blank before `end`; nullptr: something else
/// stands here. 24 bytes that are no digits must be readable after `end`.
[[gnu::always_inline]] inline const char* read_integer(const char* p, const char* end, std::int64_t& value) {
  int count = 0;
  p = read_whole(p, value, count);
  return count > 0 && p < end && ends_number(*p) ? p : nullptr;
}

/// Microseconds with at most three decimals as nanoseconds, if a double of microseconds holds them exactly. The rest as
/// above, with 32 bytes.
[[gnu::always_inline]] inline const char* read_microseconds(const char* p, const char* end, std::int64_t& nanoseconds) {
  constexpr std::int64_t exact_us = std::int64_t{1} << 43;
  constexpr std::int64_t weights[] = {0, 100, 10, 1};
  std::int64_t whole = 0;
  int count = 0;
  p = read_whole(p, whole, count);
  if (count == 0 || whole >= exact_us) return nullptr;
  nanoseconds = whole * 1000;
  if (*p == '.') {
    const Digits decimals = read_digits(p + 1);
    if (decimals.count == 0 || decimals.count > 3) return nullptr;
    nanoseconds += decimals.value * weights[decimals.count];
    p += 1 + decimals.count;
  }
  return p < end && ends_number(*p) ? p : nullptr;
}

}  // namespace takt::quick_number
