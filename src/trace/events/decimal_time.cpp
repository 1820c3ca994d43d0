#include "trace/events/decimal_time.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace takt {
namespace {

constexpr std::int64_t largest_ns = std::int64_t{1} << 62;
constexpr std::int64_t exact_us = std::int64_t{1} << 43;        // below: a double of µs is exact to the nanosecond
constexpr std::int64_t exact_whole_us = std::int64_t{1} << 53;  // below: whole µs are exact in a double
using Outcome = DecimalTime::Outcome;

/// Digits around a decimal point, the point `scale` places from the right of `digits`.
struct Digits {
  std::string_view whole, fraction;
  std::int64_t exponent = 0;
  bool valid = false;
};

std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

Digits split_digits(std::string_view text) {
  Digits parts;
  parts.whole = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = take_digits(text);
  }
  if (parts.whole.empty() && parts.fraction.empty()) return parts;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text.remove_prefix(1);
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parts.exponent);
    if (error == std::errc::result_out_of_range) parts.exponent = text.starts_with('-') ? -100000 : 100000;
    if (error == std::errc::invalid_argument) return parts;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  parts.valid = text.empty();
  return parts;
}

/// Any length, any exponent: the digits are walked once, those after the nanosecond's place only for rounding.
DecimalTime slow_parse(std::string_view text, bool negative) {
  const Digits parts = split_digits(text);
  if (!parts.valid) return {0, Outcome::not_a_number, true};
  // The nanosecond's digit stands 3 places right of the point, moved by the exponent.
  const std::int64_t places =
      static_cast<std::int64_t>(parts.whole.size()) + std::clamp<std::int64_t>(parts.exponent, -100000, 100000) + 3;
  std::int64_t value = 0, position = 0;
  bool round_up = false, exact = true;
  for (const std::string_view part : {parts.whole, parts.fraction}) {
    for (const char digit : part) {
      if (position < places) {
        if (value >= largest_ns / 10) return {0, Outcome::out_of_range, true};
        value = value * 10 + (digit - '0');
      } else if (digit != '0') {
        exact = false;
        if (position == places && digit >= '5') round_up = true;
      }
      ++position;
    }
  }
  for (; position < places && value != 0; ++position) {
    if (value >= largest_ns / 10) return {0, Outcome::out_of_range, true};
    value *= 10;
  }
  value += round_up;
  const bool whole_us = value % 1000 == 0;
  exact = exact && value / 1000 < (whole_us ? exact_whole_us : exact_us);
  return {negative ? -value : value, Outcome::good, exact};
}

}  // namespace

DecimalTime parse_microseconds(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const char* p = text.data();
  const char* const end = p + text.size();
  std::int64_t value = 0;
  const char* const most = p + 16;  // digits, which hold every time in range
  while (p < end && p < most && static_cast<unsigned char>(*p - '0') < 10) value = value * 10 + (*p++ - '0');
  if (value >= largest_ns / 1000 || p == text.data()) return slow_parse(text, negative);
  std::int64_t nanoseconds = value * 1000;
  bool fraction = false;
  if (p < end) {
    if (*p != '.' || end - p > 4 || end - p == 1) return slow_parse(text, negative);
    static constexpr std::int64_t weights[] = {100, 10, 1};
    for (std::size_t i = 0; i < std::size(weights) && ++p < end; ++i) {
      if (static_cast<unsigned char>(*p - '0') >= 10) return slow_parse(text, negative);
      nanoseconds += (*p - '0') * weights[i];
    }
    fraction = nanoseconds % 1000 != 0;
  }
  return {negative ? -nanoseconds : nanoseconds, Outcome::good, value < (fraction ? exact_us : exact_whole_us)};
}

}  // namespace takt
