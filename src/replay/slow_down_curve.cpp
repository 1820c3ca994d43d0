#include "replay/slow_down_curve.h"

#include <algorithm>
#include <cstddef>

namespace takt {
namespace {

/// Pools of neighbours that would go down, each with the mean of its values.
std::vector<double> levelled(std::span<const double> values) {
  struct Pool {
    double mean;
    std::size_t count;
  };
  std::vector<Pool> pools;
  for (const double value : values) {
    pools.push_back({std::max(value, 1.0), 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean > pools.back().mean) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& into = pools.back();
      const auto all = static_cast<double>(into.count + last.count);
      into.mean =
          (into.mean * static_cast<double>(into.count) + last.mean * static_cast<double>(last.count)) / all;
      into.count += last.count;
    }
  }
  std::vector<double> result;
  for (const Pool& pool : pools) result.insert(result.end(), pool.count, pool.mean);
  return result;
}

}  // namespace

SlowDownCurve::SlowDownCurve(std::span<const double> levels, std::span<const double> slow_downs) {
  x_.insert(x_.end(), levels.begin(), levels.end());
  const auto rising = levelled(slow_downs);
  y_.insert(y_.end(), rising.begin(), rising.end());
  const std::size_t last = x_.size() - 1;
  const auto secant = [&](std::size_t k) { return (y_[k + 1] - y_[k]) / (x_[k + 1] - x_[k]); };
  slope_.assign(x_.size(), 0);
  if (last == 0) return;
  slope_.front() = secant(0), slope_.back() = secant(last - 1);
  for (std::size_t k = 1; k < last; ++k) {
    const double before = secant(k - 1), after = secant(k);
    if (before * after <= 0) continue;
    const double left = x_[k] - x_[k - 1], right = x_[k + 1] - x_[k];
    slope_[k] = 3 * (left + right) / ((2 * right + left) / before + (right + 2 * left) / after);
  }
}

double SlowDownCurve::at(double pressure) const {
  if (pressure <= 0 || x_.size() < 2) return 1;
  if (pressure >= x_.back()) return y_.back() + slope_.back() * (pressure - x_.back());
  const auto k = static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), pressure) - x_.begin()) - 1;
  const double width = x_[k + 1] - x_[k], t = (pressure - x_[k]) / width, u = 1 - t;
  return y_[k] * u * u * (1 + 2 * t) + y_[k + 1] * t * t * (3 - 2 * t) + width * t * u * (slope_[k] * u - slope_[k + 1] * t);
}

}  // namespace takt
