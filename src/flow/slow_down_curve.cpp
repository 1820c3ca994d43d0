#include "flow/slow_down_curve.h"

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
      into.mean = (into.mean * static_cast<double>(into.count) + last.mean * static_cast<double>(last.count)) / all;
      into.count += last.count;
    }
  }
  std::vector<double> result;
  for (const Pool& pool : pools) result.insert(result.end(), pool.count, pool.mean);
  return result;
}

/// Of the parabola through the last three points, between flat and three times the slope of the last two: so the curve
/// stays monotone (Moler, Numerical Computing with MATLAB, 2004, section 3.6).
double end_slope(double near, double far, double near_width, double far_width) {
  const double slope = ((2 * near_width + far_width) * near - near_width * far) / (near_width + far_width);
  return std::clamp(slope, 0.0, 3 * near);
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
  slope_.front() = last == 1 ? secant(0) : end_slope(secant(0), secant(1), x_[1] - x_[0], x_[2] - x_[1]);
  slope_.back() =
      last == 1 ? secant(0)
                : end_slope(secant(last - 1), secant(last - 2), x_[last] - x_[last - 1], x_[last - 1] - x_[last - 2]);
  for (std::size_t k = 1; k < last; ++k) {
    const double before = secant(k - 1), after = secant(k);
    if (before * after <= 0) continue;
    const double left = x_[k] - x_[k - 1], right = x_[k + 1] - x_[k];
    slope_[k] = 3 * (left + right) / ((2 * right + left) / before + (right + 2 * left) / after);
  }
}

SlowDownCurve SlowDownCurve::mean(std::span<const SlowDownCurve* const> curves, std::span<const double> weights) {
  const std::span<const double> levels(curves.front()->x_.begin() + 1, curves.front()->x_.end());
  std::vector<double> slow_downs;
  for (const double level : levels) {
    double sum = 0;
    for (std::size_t c = 0; c < curves.size(); ++c) sum += weights[c] * curves[c]->at(level);
    slow_downs.push_back(sum);
  }
  return SlowDownCurve(levels, slow_downs);
}

double SlowDownCurve::at(double pressure) const {
  if (pressure <= 0 || x_.size() < 2) return 1;
  if (pressure >= x_.back()) {
    const std::size_t last = x_.size() - 1;
    return y_[last] + (y_[last] - y_[last - 1]) / (x_[last] - x_[last - 1]) * (pressure - x_[last]);
  }
  const auto k = static_cast<std::size_t>(std::upper_bound(x_.begin(), x_.end(), pressure) - x_.begin()) - 1;
  const double width = x_[k + 1] - x_[k], t = (pressure - x_[k]) / width, u = 1 - t;
  const double between = y_[k] + (y_[k + 1] - y_[k]) * t * t * (3 - 2 * t);
  return std::clamp(between + width * t * u * (slope_[k] * u - slope_[k + 1] * t), y_[k], y_[k + 1]);
}

}  // namespace takt
