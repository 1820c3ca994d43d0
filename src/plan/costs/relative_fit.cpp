#include "plan/costs/relative_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/basics/check.h"
#include "base/statistics/statistics.h"
#include "plan/costs/normal_equations.h"

namespace takt {
namespace {

constexpr double huber_limit = 1.345;  // 95 % as good as least squares where the noise is normal

/// Everything about a point that changes from one iteration to the next.
struct Weighing {
  std::vector<double> divisors, weights;
};

NormalEquations equations_of(std::span<const FitPoint> points, std::size_t terms, const Weighing& weighing) {
  NormalEquations equations(terms);
  for (std::size_t i = 0; i < points.size(); ++i) {
    Terms scaled{};
    for (std::size_t k = 0; k < terms; ++k) scaled[k] = points[i].terms[k] / weighing.divisors[i];
    equations.add(scaled, points[i].value / weighing.divisors[i], weighing.weights[i]);
  }
  return equations;
}

/// What residuals are relative to. A prediction of nearly nothing would make one point outweigh all others.
double divisor_of(const RelativeFit& fit, const FitPoint& point) {
  return std::max(fit.at(point.terms), point.value / 100);
}

std::vector<double> residuals_of(const RelativeFit& fit, std::span<const FitPoint> points) {
  std::vector<double> residuals;
  for (const FitPoint& point : points)
    residuals.push_back((point.value - fit.at(point.terms)) / divisor_of(fit, point));
  return residuals;
}

/// Standard deviation that outliers do not move: from the median of the residuals' sizes. As many as there are terms
/// can be made as small as one likes by the fit, so the smallest of them say nothing.
double robust_spread(const std::vector<double>& residuals, std::size_t terms) {
  constexpr double of_normal = 1.4826, exact = 1e-12;
  std::vector<double> sizes;
  for (const double one : residuals) sizes.push_back(std::abs(one));
  std::sort(sizes.begin(), sizes.end());
  const std::size_t told = std::min(terms, sizes.size() - 1);
  return std::max(exact, of_normal * percentile(std::span(sizes).subspan(told), 0.5));
}

Weighing weighed(const RelativeFit& fit, std::span<const FitPoint> points) {
  const auto residuals = residuals_of(fit, points);
  const double limit = huber_limit * robust_spread(residuals, fit.terms);
  Weighing weighing;
  for (std::size_t i = 0; i < points.size(); ++i) {
    weighing.divisors.push_back(divisor_of(fit, points[i]));
    weighing.weights.push_back(std::min(1.0, limit / std::max(limit, std::abs(residuals[i]))));
  }
  return weighing;
}

bool is_settled(const Terms& before, const Terms& after) {
  constexpr double still = 1e-12;
  for (std::size_t k = 0; k < most_terms; ++k)
    if (std::abs(after[k] - before[k]) > still * std::max(after[k], before[k])) return false;
  return true;
}

/// Huber's formula for the covariance of a fit with his weights, with its correction for small samples (§7.6 there):
/// with fifteen rows and three terms, errors of some 4 % more.
void add_errors(RelativeFit& fit, std::span<const FitPoint> points) {
  TermSet used = 0;
  std::size_t count = 0;
  for (std::size_t k = 0; k < fit.terms; ++k)
    if (fit.coefficients[k] > 0) used |= 1U << k, ++count;
  if (points.size() <= count) return;
  const auto residuals = residuals_of(fit, points);
  Weighing weighing = weighed(fit, points);
  double squares = 0, inside = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    squares += std::pow(weighing.weights[i] * residuals[i], 2);
    inside += weighing.weights[i] >= 1 ? 1 : 0;
  }
  if (inside == 0) return;
  const double share = inside / double(points.size());
  const double correction = 1 + double(count) / double(points.size()) * (1 - share) / share;
  const double variance = std::pow(correction / share, 2) * squares / double(points.size() - count);
  std::fill(weighing.weights.begin(), weighing.weights.end(), 1.0);
  const auto inverse = equations_of(points, fit.terms, weighing).inverse(used);
  if (!inverse) return;
  fit.spread = std::sqrt(variance);
  fit.freedom = points.size() - count;
  for (std::size_t k = 0; k < fit.terms; ++k) {
    for (std::size_t other = 0; other < fit.terms; ++other) fit.covariance[k][other] = variance * (*inverse)[k][other];
    if (has_term(used, k)) fit.standard_errors[k] = std::sqrt(fit.covariance[k][k]);
  }
}

std::optional<double> r_squared_of(const RelativeFit& fit, std::span<const FitPoint> points) {
  double mean = 0, left = 0, total = 0;
  for (const FitPoint& point : points) mean += point.value / double(points.size());
  for (const FitPoint& point : points) {
    left += std::pow(point.value - fit.at(point.terms), 2);
    total += std::pow(point.value - mean, 2);
  }
  return total > 0 ? std::optional(1 - left / total) : std::nullopt;
}

}  // namespace

double RelativeFit::at(const Terms& values) const {
  double sum = 0;
  for (std::size_t k = 0; k < terms; ++k) sum += coefficients[k] * values[k];
  return sum;
}

RelativeFit fit_relative(std::span<const FitPoint> points, std::size_t terms) {
  TAKT_CHECK(!points.empty() && 1 <= terms && terms <= most_terms);
  constexpr int most_rounds = 60;
  Weighing weighing;
  for (const FitPoint& point : points) {
    TAKT_CHECK(point.value > 0);
    weighing.divisors.push_back(point.value);
    weighing.weights.push_back(1);
  }
  RelativeFit fit;
  fit.terms = terms;
  const NormalEquations first = equations_of(points, terms, weighing);
  fit.identifiable = first.solve((1U << terms) - 1).has_value();
  fit.coefficients = first.solve_non_negative();
  for (int round = 0; round < most_rounds; ++round) {
    const Terms before = fit.coefficients;
    fit.coefficients = equations_of(points, terms, weighed(fit, points)).solve_non_negative();
    if (is_settled(before, fit.coefficients)) break;
  }
  add_errors(fit, points);
  fit.r_squared = r_squared_of(fit, points);
  return fit;
}

}  // namespace takt
