// Numbers as Python writes and reads them.
//
// `takt analyze` prints what the MegEngine analyser prints, byte for byte, and that program leans on Python's own
// number formatting; the rules differ from printf in thresholds and in the added ".0".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace takt {

/// "{:.3}": three significant digits, exponent form below 1e-4 and from 100 on, otherwise a digit after the point.
std::string python_short(double value);

/// "{:.Nf}"; "nan" and "inf" carry no sign of a NaN.
std::string python_fixed(double value, int digits);

/// "%g": six significant digits.
std::string python_general(double value);

/// repr(float): the shortest text that reads back as the same number, with Python's exponent thresholds.
std::string python_repr(double value);

/// int(text): surrounding blanks, a sign and single underscores between digits are allowed. nullopt: not an integer.
/// Values beyond 64 bits are clamped to the nearest one that fits.
std::optional<long long> python_int(std::string_view text);

/// float(text): as python_int, and decimal points, exponents, "inf", "infinity", "nan" in any case.
std::optional<double> python_float(std::string_view text);

}  // namespace takt
