// How numbers that stand under each other are written: in one unit and with one number of digits after the point, so
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
  std::string_view suffix{};  ///< after the number: " ms"; empty: none
  int decimals = 0;           ///< after the decimal point
  bool exponent = false;      ///< too small for a point: 2.41e-06
};

/// Returns the form for plain numbers; numbers that are not finite are ignored. Whole numbers have no decimals; from a
/// million on they are written in thousands (k), millions (M), ...
NumberForm form_of(std::span<const double> values);
/// Returns the form for times: ns, µs, ms or s.
NumberForm form_of(std::span<const Duration> times);

/// Returns the form for percentages: like plain numbers, but never with a unit: 47,693 % is not "47.7 k".
NumberForm form_of_percentages(std::span<const double> values);
/// Returns the bound of an interval for a sentence or a table: "12.5", "-3.0", and "> 1000" if it exceeds that.
std::string percentage_text(double percent);
inline constexpr double furthest_percentage = 1000;

/// Returns the number in this form; "–" if it is not finite. Only an exact zero is "0" without decimals; a value that
/// rounds to zero is "0.00".
std::string formatted(double value, const NumberForm& form);
std::string formatted(Duration time, const NumberForm& form);
/// Returns a number outside of a column, with three digits or more.
std::string formatted(double value);

}  // namespace takt
