// How numbers that stand under each other are written: in one unit and with one number of digits behind the point, so
// that a glance down the column compares sizes.
//
// The largest number chooses the unit. It has at least three digits; more, up to five, where the smallest would
// otherwise have none.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/basics/units.h"

namespace takt {

struct NumberForm {
  double unit = 1;            ///< what a number is divided by
  std::string_view suffix{};  ///< behind it: " ms"; empty: none
  int decimals = 0;           ///< behind the point
  bool exponent = false;      ///< too small for a point: 2.41e-06
};

/// Of plain numbers; those that are not finite count nothing. Whole numbers have no decimals; from a million on they
/// are written in thousands (k), millions (M), ...
NumberForm form_of(std::span<const double> values);
/// Of times: ns, µs, ms or s.
NumberForm form_of(std::span<const Duration> times);

/// Of percentages: as plain numbers, but never with a unit: 47,693 % is no "47.7 k".
NumberForm form_of_percentages(std::span<const double> values);
/// An end of an interval in a sentence or a table: "12.5", "-3.0", and "> 1000" where it is beyond that.
std::string percentage_text(double percent);
inline constexpr double furthest_percentage = 1000;

/// "–" for what is not finite; nothing but a true zero is "0" without decimals, what rounds to it is "0.00".
std::string formatted(double value, const NumberForm& form);
std::string formatted(Duration time, const NumberForm& form);
/// A number that stands alone, with three digits and more.
std::string formatted(double value);

}  // namespace takt
