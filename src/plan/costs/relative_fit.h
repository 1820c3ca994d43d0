// A law that is a sum of terms, fitted to times that differ by orders of magnitude.
//
// Times of stages go from microseconds to seconds, and their noise is a share of the time. Ordinary least squares would
// look at the largest sizes alone. So what is minimised is the *relative* residual, measured / predicted − 1; dividing
// by what is predicted, not by what was measured, keeps a time that came out short by mistake from having the say.
// Coefficients are never negative, as no node and no edge gives time back: for at most four terms all subsets of them
// are solved, and the best that has no negative coefficient is the solution of the bounded problem, which is convex.
// Single runs are off by factors (a laptop that slows its clock down), hence Huber's weights: residuals beyond 1.345
// robust standard deviations pull no harder than one there (Huber and Ronchetti, "Robust Statistics", 2nd ed., §7).
// The three (weights, divisors, coefficients) are iterated until they stay, at most sixty times.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace takt {

inline constexpr std::size_t most_terms = 4;
/// Values of the terms in one row, or a coefficient for each; those behind the last term are 0.
using Terms = std::array<double, most_terms>;

struct FitPoint {
  Terms terms{};     ///< none negative
  double value = 0;  ///< above 0
};

struct RelativeFit {
  std::size_t terms = 0;
  Terms coefficients{};  ///< none negative
  /// Standard errors of the coefficients. Empty: held at zero, or there are no more rows than coefficients.
  std::array<std::optional<double>, most_terms> standard_errors{};
  /// Standard deviation of a row around the law, as a share of it, outliers weighed down. Missing as the errors are.
  std::optional<double> spread;
  /// Covariance of the coefficients; their standard errors are the roots of its diagonal; 0 where they are empty.
  std::array<Terms, most_terms> covariance{};
  std::size_t freedom = 0;  ///< rows beyond the coefficients that are not held at zero: of what `spread` is known from
  /// 1 − Σ(measured − predicted)² / Σ(measured − mean)²: below 0 where the mean says more. Missing: all are the same.
  std::optional<double> r_squared;
  /// false: terms depend on each other in all rows (edges always twice the nodes), so that their coefficients are one
  /// of many ways to say the same; predictions hold only where the terms keep that proportion.
  bool identifiable = true;

  double at(const Terms& terms) const;  ///< never negative
};

/// `points` not empty, `terms` from 1 to most_terms. The same points in the same order give the same bits.
RelativeFit fit_relative(std::span<const FitPoint> points, std::size_t terms);

}  // namespace takt
