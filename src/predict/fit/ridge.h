// Least squares with few unknowns that are drawn to zero.
#pragma once

#include <vector>

namespace takt {

/// x that minimises |A·x − b|² + ridge · |x|², by Cholesky's decomposition of the normal equations. `rows`: those of A,
/// at least one, all as long; `right`: b. With ridge > 0 there is always one.
std::vector<double> ridge_solution(const std::vector<std::vector<double>>& rows, const std::vector<double>& right,
                                   double ridge);

}  // namespace takt
