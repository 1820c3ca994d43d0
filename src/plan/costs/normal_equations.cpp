#include "plan/costs/normal_equations.h"

#include <algorithm>
#include <cmath>

namespace takt {

void NormalEquations::add(const Terms& terms, double value, double weight) {
  for (std::size_t i = 0; i < terms_; ++i) {
    for (std::size_t j = 0; j < terms_; ++j) squares_[i][j] += weight * terms[i] * terms[j];
    products_[i] += weight * terms[i] * value;
  }
}

/// Cholesky's factors of the matrix with ones on its diagonal, so that a node and a constant weigh alike. What is left
/// of a pivot says how much of a term the ones before it do not tell already.
std::optional<Terms> NormalEquations::solve_for(TermSet set, const Terms& right) const {
  constexpr double least_pivot = 1e-10;
  std::array<Terms, most_terms> factor{};
  Terms scale{}, solution{};
  for (std::size_t i = 0; i < terms_; ++i) {
    if (!has_term(set, i)) continue;
    if (!(squares_[i][i] > 0)) return std::nullopt;
    scale[i] = 1 / std::sqrt(squares_[i][i]);
    double pivot = 1;
    for (std::size_t j = 0; j < i; ++j) {
      if (!has_term(set, j)) continue;
      double rest = squares_[i][j] * scale[i] * scale[j];
      for (std::size_t k = 0; k < j; ++k) rest -= factor[i][k] * factor[j][k];
      factor[i][j] = rest / factor[j][j];
      pivot -= factor[i][j] * factor[i][j];
    }
    if (!(pivot > least_pivot)) return std::nullopt;
    factor[i][i] = std::sqrt(pivot);
  }
  for (std::size_t i = 0; i < terms_; ++i) {
    if (!has_term(set, i)) continue;
    solution[i] = right[i] * scale[i];
    for (std::size_t k = 0; k < i; ++k) solution[i] -= factor[i][k] * solution[k];
    solution[i] /= factor[i][i];
  }
  for (std::size_t i = terms_; i-- > 0;) {
    if (!has_term(set, i)) continue;
    for (std::size_t k = i + 1; k < terms_; ++k) solution[i] -= factor[k][i] * solution[k];
    solution[i] /= factor[i][i];
  }
  for (std::size_t i = 0; i < terms_; ++i) solution[i] *= scale[i];
  return solution;
}

std::optional<Terms> NormalEquations::solve(TermSet set) const { return solve_for(set, products_); }

Terms NormalEquations::solve_non_negative() const {
  Terms best{};
  double most_explained = 0;
  for (TermSet set = 1; set < (1U << terms_); ++set) {
    const auto solution = solve(set);
    if (!solution || std::any_of(solution->begin(), solution->end(), [](double one) { return one < 0; })) continue;
    double explained = 0;
    for (std::size_t i = 0; i < terms_; ++i) explained += (*solution)[i] * products_[i];
    if (explained <= most_explained) continue;
    most_explained = explained;
    best = *solution;
  }
  return best;
}

std::optional<std::array<Terms, most_terms>> NormalEquations::inverse(TermSet set) const {
  std::array<Terms, most_terms> inverse{};
  for (std::size_t i = 0; i < terms_; ++i) {
    if (!has_term(set, i)) continue;
    Terms unit{};
    unit[i] = 1;
    const auto column = solve_for(set, unit);
    if (!column) return std::nullopt;
    for (std::size_t k = 0; k < terms_; ++k) inverse[k][i] = (*column)[k];
  }
  return inverse;
}

}  // namespace takt
