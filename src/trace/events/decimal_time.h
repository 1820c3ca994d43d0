// Times in the text of a trace file: decimal microseconds, turned into nanoseconds without a double in between.
//
// A double holds microseconds since 1970 in steps of a quarter microsecond, so going through one changes nearly every
// stamp in its last digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace takt {

struct DecimalTime {
  enum class Outcome : std::uint8_t { good, not_a_number, out_of_range };
  std::int64_t nanoseconds = 0;
  Outcome outcome = Outcome::good;
  bool exact = true;  ///< false: digits below a nanosecond were rounded, or a reader's double of µs cannot hold it
};

/// `text` is a decimal number as in JSON, exponent allowed, of microseconds. Halves are rounded away from zero.
/// Times of more than 146 years are out of range.
DecimalTime parse_microseconds(std::string_view text);

}  // namespace takt
