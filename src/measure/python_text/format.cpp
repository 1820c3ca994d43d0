#include "measure/python_text/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/basics/text.h"
#include "measure/python_text/text.h"

namespace takt {

namespace {

std::optional<std::string> not_finite(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return std::nullopt;
}

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Removes underscores that stand between two digits; nullopt when one stands elsewhere.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      plain += text[i];
      continue;
    }
    if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1])) return std::nullopt;
  }
  return plain;
}

/// Digits, optional point and exponent; the form that float() accepts once sign and blanks are gone.
bool is_decimal(std::string_view text) {
  std::size_t i = 0, digits = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) ++digits;
  if (i < text.size() && text[i] == '.')
    for (++i; i < text.size() && is_digit(text[i]); ++i) ++digits;
  if (digits == 0) return false;
  if (i == text.size()) return true;
  if (text[i] != 'e' && text[i] != 'E') return false;
  ++i;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  if (i == text.size()) return false;
  while (i < text.size() && is_digit(text[i])) ++i;
  return i == text.size();
}

}  // namespace

std::string python_short(double value) {
  if (auto text = not_finite(value)) return *text;
  const std::string scientific = fmt::format("{:.2e}", value);
  const auto mark = scientific.find('e');
  const int exponent = std::stoi(scientific.substr(mark + 1));
  if (exponent < -4 || exponent >= 2)
    return without_trailing_zeros(scientific.substr(0, mark)) + scientific.substr(mark);
  std::string text = without_trailing_zeros(fmt::format("{:.{}f}", value, 2 - exponent));
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string python_fixed(double value, int digits) {
  if (auto text = not_finite(value)) return *text;
  return fmt::format("{:.{}f}", value, digits);
}

std::string python_general(double value) {
  if (auto text = not_finite(value)) return *text;
  return fmt::format("{:g}", value);
}

std::string python_repr(double value) {
  if (auto text = not_finite(value)) return *text;
  char buffer[64];
  const auto scientific = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string_view shortest(buffer, scientific.ptr - buffer);
  const auto mark = shortest.find('e');
  const int exponent = std::stoi(std::string(shortest.substr(mark + 1)));
  if (exponent < -4 || exponent >= 16) return std::string(shortest);
  const auto fixed = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  std::string text(buffer, fixed.ptr);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::optional<long long> python_int(std::string_view text) {
  const auto plain = without_underscores(python_strip(text));
  if (!plain) return std::nullopt;
  std::string_view digits = *plain;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  unsigned long long value = 0;
  const auto most = static_cast<unsigned long long>(std::numeric_limits<long long>::max()) + (negative ? 1 : 0);
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) value = most;
  value = std::min(value, most);
  return static_cast<long long>(negative ? 0 - value : value);
}

std::optional<double> python_float(std::string_view text) {
  const auto plain = without_underscores(python_strip(text));
  if (!plain) return std::nullopt;
  std::string_view digits = *plain;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0;
  const std::string lower = lower_case(digits);
  if (lower == "inf" || lower == "infinity") {
    value = std::numeric_limits<double>::infinity();
  } else if (lower == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    if (!is_decimal(digits)) return std::nullopt;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc())
      value =
          std::strtod(std::string(digits).c_str(), nullptr);  // which tells what is too large from what is too small
  }
  return negative ? -value : value;
}

}  // namespace takt
