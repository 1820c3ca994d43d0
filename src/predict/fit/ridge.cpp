#include "predict/fit/ridge.h"

#include <algorithm>
#include <cmath>

namespace takt {

std::vector<double> ridge_solution(const std::vector<std::vector<double>>& rows, const std::vector<double>& right,
                                   double ridge) {
  const std::size_t n = rows.front().size();
  std::vector<std::vector<double>> l(n, std::vector<double>(n));
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = i == j ? ridge : 0;
      for (const auto& row : rows) sum += row[i] * row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      l[i][j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / l[j][j];
    }
    for (std::size_t r = 0; r < rows.size(); ++r) x[i] += rows[r][i] * right[r];
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= l[i][k] * x[k];
    x[i] /= l[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= l[k][i] * x[k];
    x[i] /= l[i][i];
  }
  return x;
}

}  // namespace takt
