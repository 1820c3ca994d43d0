#include "model/inputs/tensor_distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/basics/text.h"
#include "model/inputs/tensor_values.h"

namespace takt {
namespace {

constexpr double nothing_alike = std::numeric_limits<double>::infinity();
constexpr double largest_number = std::numeric_limits<double>::max();
/// Beyond so many medians a value stands for itself.
constexpr double standing_out = 1e4;
/// Numbers below 1.2e-38 are not normal in float32, and many runtimes flush them to 0: a tensor of such numbers is
/// measured by this instead of its own size.
constexpr double least_size = 1e-34;
/// The median of so many elements says enough.
constexpr std::size_t most_looked_at = 65'536;

bool is_rounded_integer(ElementType type) {
  return type == ElementType::i8 || type == ElementType::u8 || type == ElementType::i16 || type == ElementType::u16 ||
         type == ElementType::i32 || type == ElementType::u32;
}

bool are_numbers(const HostTensor& a, const HostTensor& b, Integers integers) {
  if (is_float(a.type) && is_float(b.type)) return true;
  return integers == Integers::rounded && a.type == b.type && is_rounded_integer(a.type);
}

/// NaN has no sign that matters.
std::string number_text(double value) { return std::isnan(value) ? "nan" : fmt::format("{}", value); }

std::string named(const HostTensor& tensor) { return fmt::format("output '{}'", printable(tensor.name)); }

/// Of two numbers; `size` is that of the tensor.
double share_of(double expected, double actual, double size) {
  if (expected == actual || (std::isnan(expected) && std::isnan(actual))) return 0;
  if (!std::isfinite(expected) || !std::isfinite(actual)) return nothing_alike;
  const double apart = std::min(std::abs(expected - actual), largest_number);
  if (size == 0) return apart < least_size ? apart / least_size : nothing_alike;
  return apart / std::max({size, std::abs(expected), least_size});
}

TensorDistance distance_of_numbers(const HostTensor& expected, const HostTensor& actual) {
  TensorDistance distance;
  const double size = usual_size(expected);
  std::size_t worst = 0;
  for (std::size_t i = 0; i < count_of(expected) && distance.share != nothing_alike; ++i) {
    const double share = share_of(*value_at(expected, i), *value_at(actual, i), size);
    if (share > distance.share) distance.share = share, worst = i;
  }
  if (distance.share > 0)
    distance.what =
        fmt::format("{} differs at {}: {} instead of {}", named(expected), index_text(expected.shape, worst),
                    number_text(*value_at(actual, worst)), number_text(*value_at(expected, worst)));
  return distance;
}

/// Whether element `i`, of `size` bytes, is the same in both.
bool is_same(const HostTensor& a, const HostTensor& b, std::size_t i, std::size_t size) {
  if (a.type == ElementType::string) return a.strings[i] == b.strings[i];
  const auto at = static_cast<std::ptrdiff_t>(i * size);
  return std::equal(a.bytes.data() + at, a.bytes.data() + at + static_cast<std::ptrdiff_t>(size), b.bytes.data() + at);
}

std::string element_text(const HostTensor& tensor, std::size_t i) {
  if (tensor.type == ElementType::string) return fmt::format("'{}'", printable(tensor.strings[i]));
  const auto value = value_at(tensor, i);
  return value ? fmt::format("{}", *value) : std::string("different bits");
}

TensorDistance distance_of_others(const HostTensor& expected, const HostTensor& actual) {
  const std::size_t elements = count_of(expected);
  // Packed types have no elements of whole bytes.
  const std::size_t count = elements ? elements : expected.bytes.size();
  const std::size_t size = count ? expected.bytes.size() / count : 0;
  std::size_t others = 0;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_same(expected, actual, i, size)) continue;
    ++others;
    if (!first) first = i;
  }
  TensorDistance distance{0, {}, true};
  if (!first) return distance;
  distance.share = static_cast<double>(others) / static_cast<double>(count);
  distance.what =
      elements ? fmt::format("{} differs at {}: {} instead of {}", named(expected), index_text(expected.shape, *first),
                             element_text(actual, *first), element_text(expected, *first))
               : fmt::format("{} differs", named(expected));
  return distance;
}

}  // namespace

TensorDistance distance_of(const HostTensor& expected, const HostTensor& actual, Integers integers) {
  const bool numbers = are_numbers(expected, actual, integers);
  const bool is_of_one_kind = numbers || (expected.type == actual.type && expected.bytes.size() == actual.bytes.size());
  if (expected.shape != actual.shape || !is_of_one_kind || count_of(expected) != count_of(actual))
    return {nothing_alike, fmt::format("{} is {} {} instead of {} {}", named(expected), type_name(actual.type),
                                       to_string(actual.shape), type_name(expected.type), to_string(expected.shape))};
  return numbers ? distance_of_numbers(expected, actual) : distance_of_others(expected, actual);
}

double usual_size(const HostTensor& tensor) {
  const std::size_t count = count_of(tensor), step = count / most_looked_at + 1;
  double largest = 0;
  std::vector<double> some;
  for (std::size_t i = 0; i < count; ++i) {
    const double magnitude = std::abs(value_at(tensor, i).value_or(0));
    if (!std::isfinite(magnitude) || magnitude == 0) continue;
    largest = std::max(largest, magnitude);
    if (i % step == 0) some.push_back(magnitude);
  }
  if (some.empty()) return largest;
  const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
  std::nth_element(some.begin(), middle, some.end());
  return std::min(largest, *middle * standing_out);
}

}  // namespace takt
