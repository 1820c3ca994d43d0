#include "base/statistics/significance.h"

#include <cmath>

#include "base/statistics/statistics.h"

namespace takt {
namespace {

/// The regularised incomplete beta function I_x(a, 1/2) by its continued fraction (Lentz), for Student's distribution.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, 1 - x);
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x)) / a;
  constexpr double tiny = 1e-300;
  double f = 1, c = 1, d = 0;
  for (int i = 0; i <= 300; ++i) {
    const int pair = i / 2;
    const double m = pair;
    const double numerator = i == 0       ? 1
                             : i % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                                          : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 + numerator * d;
    d = 1 / (std::abs(d) < tiny ? tiny : d);
    c = 1 + numerator / c;
    c = std::abs(c) < tiny ? tiny : c;
    f *= c * d;
    if (std::abs(1 - c * d) < 1e-12) break;
  }
  return front * (f - 1);
}

}  // namespace

double student_quantile(double freedom, double tail) {
  // P(T > t) = I_x(freedom/2, 1/2)/2 with x = freedom/(freedom + t²), falling in t: bisection on its logarithm.
  double low = 0, high = 1e6;
  for (int i = 0; i < 200; ++i) {
    const double middle = i < 60 && high > 10 * (low + 1) ? std::sqrt((low + 1) * (high + 1)) - 1 : (low + high) / 2;
    const double beyond = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + middle * middle)) / 2;
    (beyond > tail ? low : high) = middle;
  }
  return high;
}

std::optional<double> half_width_of_mean(std::span<const double> values, double confidence) {
  const auto spread = variance(values);
  if (!spread) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  return student_quantile(count - 1, (1 - confidence) / 2) * std::sqrt(*spread / count);
}

}  // namespace takt
