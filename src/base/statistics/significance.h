// What chance alone would give: the quantiles of Student's distribution, and tests by permutation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/statistics/random.h"

namespace takt {

/// The value that a Student variable with `freedom` degrees (> 0) exceeds with probability `tail` (0 to 0.5).
double student_quantile(double freedom, double tail);

/// Half the width of the interval of `confidence` around the mean of values that are normal (Student, 1908); nullopt
/// below two values.
std::optional<double> half_width_of_mean(std::span<const double> values, double confidence = 0.95);

struct PermutationSettings {
  int permutations = 999;
  /// Ends early where more than so many permutations gave as much for every statistic: that it is often is clear then
  /// (Besag and Clifford, "Sequential Monte Carlo p-values", 1991).
  int enough = std::numeric_limits<int>::max();
  std::uint64_t seed = 1;
};

/// For each of `found` the share of random permutations whose statistic is at least as large; the observed order counts
/// as one, so it is never 0. `permuted(random)` brings the values into a random order and gives the statistics of it,
/// as many as `found`. The same seed gives the same shares.
template <typename Permuted>
std::vector<double> permutation_p_values(std::span<const double> found, const PermutationSettings& settings,
                                         Permuted permuted) {
  Random random(settings.seed);
  std::vector<int> as_much(found.size(), 1);
  int made = 0;
  const auto is_clear = [&](int count) { return count > settings.enough; };
  while (made < settings.permutations && !std::all_of(as_much.begin(), as_much.end(), is_clear)) {
    const auto chance = permuted(random);
    ++made;
    for (std::size_t k = 0; k < found.size(); ++k) as_much[k] += chance[k] >= found[k];
  }
  std::vector<double> shares;
  for (const int count : as_much) shares.push_back(count / double(made + 1));
  return shares;
}

}  // namespace takt
