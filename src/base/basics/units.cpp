#include "base/basics/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <string>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

struct Unit {
  std::string_view name;
  double microseconds;
};
constexpr std::array<Unit, 7> units{
    {{"ns", 1e-3}, {"us", 1}, {"µs", 1}, {"ms", 1e3}, {"s", 1e6}, {"min", 60e6}, {"h", 3600e6}}};

/// Three significant digits without exponent: 1.23, 12.3, 123, 1234.
std::string three_digits(double value) {
  double size = std::abs(value);
  int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

Nanoseconds read_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + Nanoseconds(now.tv_nsec);
}

}  // namespace

Nanoseconds steady_now() { return read_clock(CLOCK_MONOTONIC); }
Nanoseconds wall_now() { return read_clock(CLOCK_REALTIME); }

Duration parse_duration(std::string_view text) {
  double value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (code == std::errc() && std::isfinite(value))
    for (const auto& known : units)
      if (unit == known.name) return Duration(value * known.microseconds);
  throw Error(
      ErrorKind::bad_input,
      fmt::format("'{}': not a duration; write a number with its unit, such as 500us, 20ms or 2s", printable(text)));
}

double parse_bytes(std::string_view text) {
  constexpr std::pair<std::string_view, double> sizes[] = {{"b", 1},        {"kb", 1e3},     {"mb", 1e6},
                                                           {"gb", 1e9},     {"tb", 1e12},    {"kib", 0x1p10},
                                                           {"mib", 0x1p20}, {"gib", 0x1p30}, {"tib", 0x1p40}};
  double value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit = lower_case({end, static_cast<std::size_t>(text.data() + text.size() - end)});
  if (code == std::errc() && std::isfinite(value) && value >= 0)
    for (const auto& [name, bytes] : sizes)
      if (unit == name) return value * bytes;
  throw Error(ErrorKind::bad_input,
              fmt::format("'{}': not a size; write a number with its unit, such as 400MB or 2GiB", printable(text)));
}

std::string format_duration(Duration duration) {
  double us = duration.count();
  double size = std::abs(us);
  if (!std::isfinite(us)) return "–";
  if (size == 0) return "0 ns";
  if (size < 0.9995) return three_digits(us * 1e3) + " ns";
  if (size < 999.5) return three_digits(us) + " µs";
  if (size < 999.5e3) return three_digits(us / 1e3) + " ms";
  return three_digits(us / 1e6) + " s";
}

std::string format_bytes(double bytes) {
  constexpr std::array<std::string_view, 6> prefixes{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t prefix = 0;
  while (std::abs(bytes) >= 1023.5 && prefix + 1 < prefixes.size()) bytes /= 1024, ++prefix;
  return (prefix == 0 ? fmt::format("{:.0f}", bytes) : three_digits(bytes)) + " " + std::string(prefixes[prefix]);
}

std::string format_quantity(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 7> prefixes{"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < prefixes.size()) value /= 1000, ++prefix;
  std::string digits = prefix == 0 && value == std::floor(value) ? fmt::format("{:.0f}", value) : three_digits(value);
  return fmt::format("{} {}{}", digits, prefixes[prefix], unit);
}

}  // namespace takt
