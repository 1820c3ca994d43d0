#include "base/table/number_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace takt {
namespace {

struct Unit {
  double size;
  std::string_view suffix;
};
constexpr std::array<Unit, 4> time_units{{{1e-3, " ns"}, {1, " µs"}, {1e3, " ms"}, {1e6, " s"}}};
constexpr std::array<Unit, 6> prefixes{{{1, ""}, {1e3, " k"}, {1e6, " M"}, {1e9, " G"}, {1e12, " T"}, {1e15, " P"}}};

/// What counts of a column: the ends of its sizes. `largest` 0: there is nothing but zeros.
struct Sizes {
  double smallest = 0, largest = 0;
  bool whole = true;
};

Sizes sizes_of(std::span<const double> values) {
  Sizes sizes;
  for (const double value : values) {
    const double size = std::abs(value);
    if (!std::isfinite(size) || size == 0) continue;
    sizes.whole = sizes.whole && size == std::floor(size);
    sizes.largest = std::max(sizes.largest, size);
    sizes.smallest = sizes.smallest == 0 ? size : std::min(sizes.smallest, size);
  }
  return sizes;
}

/// Digits before the point, as rounding to three digits leaves them: 99.96 has three. 0 and less: zeros behind it.
int digits_before_point(double size) { return static_cast<int>(std::floor(std::log10(size * 1.0005))) + 1; }

int decimals_of(const Sizes& sizes, double unit) {
  const int before = digits_before_point(sizes.largest / unit);
  const int least = std::clamp(3 - before, 0, 4), most = std::clamp(5 - before, 0, 4);
  const int for_smallest = 1 - digits_before_point(sizes.smallest / unit);
  return std::clamp(for_smallest, least, most);
}

/// The largest unit in which the largest number is at least 1.
template <std::size_t count>
Unit fitting(const std::array<Unit, count>& units, double largest) {
  Unit best = units.front();
  for (const Unit& unit : units)
    if (largest * 1.0005 >= unit.size) best = unit;
  return best;
}

}  // namespace

NumberForm form_of_percentages(std::span<const double> values) {
  constexpr double smallest_with_point = 1e-3;
  const Sizes sizes = sizes_of(values);
  if (sizes.largest == 0) return {};
  if (sizes.largest < smallest_with_point) return {.exponent = true};
  return {.decimals = sizes.whole ? 0 : decimals_of(sizes, 1)};
}

std::string percentage_text(double percent) {
  return percent > furthest_percentage ? fmt::format("> {:.0f}", furthest_percentage) : fmt::format("{:.1f}", percent);
}

NumberForm form_of(std::span<const double> values) {
  constexpr double shortened_from = 1e6;
  const Sizes sizes = sizes_of(values);
  if (sizes.largest < shortened_from) return form_of_percentages(values);
  const Unit unit = fitting(prefixes, sizes.largest);
  return {unit.size, unit.suffix, decimals_of(sizes, unit.size)};
}

NumberForm form_of(std::span<const Duration> times) {
  std::vector<double> values;
  for (const Duration time : times) values.push_back(time.count());
  const Sizes sizes = sizes_of(values);
  if (sizes.largest == 0) return {time_units.front().size, time_units.front().suffix};
  const Unit unit = fitting(time_units, sizes.largest);
  return {unit.size, unit.suffix, decimals_of(sizes, unit.size)};
}

std::string formatted(double value, const NumberForm& form) {
  if (!std::isfinite(value)) return "–";
  if (value == 0) return "0" + std::string(form.suffix);
  if (form.exponent) return fmt::format("{:.2e}", value);
  // Nothing is "-0.0": what rounds to zero has no sign.
  std::string digits = fmt::format("{:.{}f}", value / form.unit, form.decimals);
  if (digits.starts_with('-') && digits.find_first_not_of("-0.") == digits.npos) digits.erase(0, 1);
  return digits + std::string(form.suffix);
}

std::string formatted(double value) { return formatted(value, form_of(std::span<const double>(&value, 1))); }

std::string formatted(Duration time, const NumberForm& form) { return formatted(time.count(), form); }

}  // namespace takt
