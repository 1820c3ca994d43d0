#include "predict/answer/online_width.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "predict/fit/conformal.h"

namespace takt {
namespace {

constexpr std::size_t most_kept = 300, most_near = 30;
constexpr double wanted_misses = 0.1, least_misses = 0.01, most_misses = 0.3;
// How far what was missed too often or too rarely moves the confidence. Of 476 predictions beside loads that came and
// went, in 40 orders, thirds by load had 91, 89, 90 % inside without it, give or take 2.5, and 90, 90, 90 with it, give
// or take 1.9.
constexpr double made_up_for = 1;
// Loads whose places are no further apart than this are alike: those that make 1.20 and 1.25 times as long, or 2 and
// 2.3, while 1.00 and 1.02, a quiet machine and one that is not, are apart.
constexpr double alike = 0.2;

/// Below 1 as above: there are devices that get faster under load.
double place_of(double factor) {
  const double far = std::log(factor);
  return std::copysign(std::log1p(std::abs(far) / 0.05), far);
}

}  // namespace

std::optional<OnlineInterval> OnlineWidth::at(double factor) const {
  if (seen_.size() < errors_needed()) return std::nullopt;
  const double here = place_of(factor);
  const auto steps = [&](const Seen& one) { return std::floor(std::abs(one.place - here) / alike); };
  std::vector<Seen> near(seen_.rbegin(), seen_.rend());  // of those alike the last ones
  const auto count = std::clamp(near.size() / 3, errors_needed(), most_near);
  std::stable_sort(near.begin(), near.end(), [&](const Seen& a, const Seen& b) { return steps(a) < steps(b); });
  std::vector<double> errors;
  double missed = 0;  // more than wanted
  for (std::size_t i = 0; i < count; ++i) errors.push_back(near[i].log_error), missed += near[i].missed - wanted_misses;
  const double misses =
      std::clamp(wanted_misses - made_up_for * missed / static_cast<double>(count), least_misses, most_misses);
  return OnlineInterval{conformal_width(errors, 1 - misses).value_or(0), count};
}

void OnlineWidth::observe(double factor, double log_error) {
  const auto interval = at(factor);
  seen_.push_back({place_of(factor), log_error, !interval ? wanted_misses : log_error > interval->width ? 1 : 0});
  if (seen_.size() > most_kept) seen_.pop_front();
  largest_ = std::max(largest_, log_error);
}

}  // namespace takt
