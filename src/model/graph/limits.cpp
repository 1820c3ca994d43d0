#include "model/graph/limits.h"

#include <fmt/format.h>

#include <string_view>

#include "base/basics/text.h"

namespace takt {
namespace {

constexpr std::string_view range_dots = "..";

}  // namespace

std::string to_symbol(const Limits& limits) {
  if (limits.most) return fmt::format("{}{}{}", limits.least, range_dots, *limits.most);
  return limits.least > 0 ? fmt::format("{}{}", limits.least, range_dots) : std::string();
}

std::optional<Limits> limits_of(const Dim& dim) {
  const auto dots = dim.value ? std::string::npos : dim.symbol.find(range_dots);
  if (dots == std::string::npos) return std::nullopt;
  const std::string_view text = dim.symbol, upper = text.substr(dots + range_dots.size());
  const auto least = number_in<std::int64_t>(text.substr(0, dots)), most = number_in<std::int64_t>(upper);
  if (!least || (!most && !upper.empty())) return std::nullopt;
  return Limits{*least, most};
}

bool is_named(const Dim& dim) { return !dim.value && !dim.symbol.empty() && !limits_of(dim); }

bool allows(const Dim& dim, std::int64_t size) {
  if (dim.value) return *dim.value == size;
  const auto limits = limits_of(dim);
  return !limits || (size >= limits->least && size <= limits->most.value_or(size));
}

}  // namespace takt
