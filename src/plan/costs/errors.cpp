#include "plan/costs/errors.h"

#include <algorithm>
#include <cmath>

namespace takt {
namespace {

/// What a normal variable is multiplied by to be a Student one: √(freedom / χ²).
double student_scale(double freedom, Random& random) {
  double squares = 0;
  const auto draws = static_cast<int>(std::max(1.0, freedom));
  for (int k = 0; k < draws; ++k) squares += std::pow(standard_normal(random), 2);
  return std::sqrt(draws / std::max(squares, 1e-12));
}

/// Normal variables with this covariance, by the factor of Cholesky; terms that it has no variance of stay 0.
Terms with_covariance(const std::array<Terms, most_terms>& covariance, Random& random) {
  std::array<Terms, most_terms> factor{};
  Terms drawn{};
  for (std::size_t i = 0; i < most_terms; ++i) {
    double pivot = covariance[i][i];
    for (std::size_t j = 0; j < i; ++j) {
      double rest = covariance[i][j];
      for (std::size_t k = 0; k < j; ++k) rest -= factor[i][k] * factor[j][k];
      factor[i][j] = factor[j][j] > 0 ? rest / factor[j][j] : 0;
      pivot -= factor[i][j] * factor[i][j];
    }
    factor[i][i] = std::sqrt(std::max(pivot, 0.0));
  }
  for (std::size_t k = 0; k < most_terms; ++k) {
    const double normal = standard_normal(random);
    for (std::size_t i = k; i < most_terms; ++i) drawn[i] += factor[i][k] * normal;
  }
  return drawn;
}

}  // namespace

DrawnError::DrawnError(const CostErrors& errors, Random& random) : errors_(errors) {
  if (errors.standard_error)
    measured_ =
        *errors.standard_error * (std::sqrt(2.0) * student_scale(errors.freedom, random) * standard_normal(random));
  if (!errors.fit || !errors.fit->law.spread) return;
  const RelativeFit& law = errors.fit->law;
  const double scale = student_scale(static_cast<double>(law.freedom), random);
  coefficients_ = with_covariance(law.covariance, random);
  for (double& one : coefficients_) one *= scale;
  row_ = scale * *law.spread * standard_normal(random);
}

Duration DrawnError::at(double share, Duration mean) const {
  const bool by_row = errors_.standard_error && (share >= 1 || !errors_.fit);
  if (by_row) return measured_ * share;
  if (!errors_.fit) return {};
  const auto part = [&](std::int64_t whole) { return static_cast<double>(whole) * share; };
  const Terms terms{1, part(errors_.size.nodes), part(errors_.size.edges), static_cast<double>(errors_.features)};
  double off = 0;
  for (std::size_t k = 0; k < errors_.fit->law.terms; ++k) off += coefficients_[k] * terms[k];
  const GraphSize size{std::llround(terms[1]), std::llround(terms[2])};
  const double beyond = errors_.fit->span.factor_beyond(size, errors_.features);
  return Duration(off) + mean * (row_ * (1 + std::log(beyond)));
}

}  // namespace takt
