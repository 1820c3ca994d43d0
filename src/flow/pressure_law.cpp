#include "flow/pressure_law.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace takt {
namespace {

constexpr std::array<std::string_view, 5> law_words{"linear", "share", "queue", "cliff", "saturating"};
constexpr std::array<std::string_view, 3> combination_words{"multiply", "add", "largest"};

template <typename Value, std::size_t count>
std::optional<Value> value_named(const std::array<std::string_view, count>& words, std::string_view name) {
  const auto found = std::find(words.begin(), words.end(), name);
  if (found == words.end()) return std::nullopt;
  return static_cast<Value>(found - words.begin());
}

/// From 0 at p = 0 to 1 at p = 1, half of it within 0.1 of the edge.
double rise(double pressure, double edge) {
  constexpr double width = 0.1;
  const auto step = [&](double p) { return 1 / (1 + std::exp((edge - p) / width)); };
  return (step(pressure) - step(0)) / (step(1) - step(0));
}

}  // namespace

std::optional<PressureLaw> pressure_law_named(std::string_view name) {
  return value_named<PressureLaw>(law_words, name);
}
std::vector<std::string_view> pressure_law_names() { return {law_words.begin(), law_words.end()}; }
std::string_view name_of(PressureLaw law) { return law_words[static_cast<std::size_t>(law)]; }

double slow_down_under(PressureLaw law, double s, double p) {
  if (p <= 0 || s <= 0) return 1;
  switch (law) {
    case PressureLaw::linear:
      return 1 + s * p;
    case PressureLaw::share:
      return std::max(1.0, s + p);
    case PressureLaw::queue:
      return p < 1 ? 1 + s * p / (5 - 4 * p) : 1 + s * p;
    case PressureLaw::cliff:
      return 1 + s * rise(p, 1 - s / 2);
    case PressureLaw::saturating:
      return 1 + s * (1 - std::exp(-3 * p)) / (1 - std::exp(-3.0));
  }
  return 1;
}

std::optional<Combination> combination_named(std::string_view name) {
  return value_named<Combination>(combination_words, name);
}
std::vector<std::string_view> combination_names() { return {combination_words.begin(), combination_words.end()}; }
std::string_view name_of(Combination combination) { return combination_words[static_cast<std::size_t>(combination)]; }

void Combined::add(double factor) {
  switch (how_) {
    case Combination::multiply:
      factor_ *= factor;
      return;
    case Combination::add:
      factor_ += factor - 1;
      return;
    case Combination::largest:
      factor_ = std::max(factor_, factor);
      return;
  }
}

}  // namespace takt
