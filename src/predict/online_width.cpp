#include "predict/online_width.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "predict/conformal.h"

namespace takt {
namespace {

constexpr std::size_t most_kept = 300, most_near = 30;

}  // namespace

std::optional<OnlineInterval> OnlineWidth::at(double factor) const {
  if (seen_.size() < errors_needed()) return std::nullopt;
  const double here = std::log(factor);
  std::vector<Seen> near(seen_.begin(), seen_.end());
  const auto count = std::clamp(near.size() / 3, errors_needed(), most_near);
  std::partial_sort(
      near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), near.end(),
      [&](const Seen& a, const Seen& b) { return std::abs(a.log_factor - here) < std::abs(b.log_factor - here); });
  std::vector<double> errors;
  for (std::size_t i = 0; i < count; ++i) errors.push_back(near[i].log_error);
  return OnlineInterval{conformal_width(errors).value_or(0), count};
}

void OnlineWidth::observe(double factor, double log_error) {
  seen_.push_back({std::log(factor), log_error});
  if (seen_.size() > most_kept) seen_.pop_front();
}

}  // namespace takt
