#include "pipeline/whatif/range.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace takt {

// Of so few draws the range that holds 90 % of them holds less of what was not drawn: k of n between two of them hold
// (k − 1) / (n + 1) of the rest.
Range<double> shortest_range(std::vector<double> possible, double inside) {
  Range<double> best{inside, inside};
  if (possible.empty()) return best;
  std::sort(possible.begin(), possible.end());
  const auto count = static_cast<double>(possible.size());
  const auto wanted = std::min(possible.size(), static_cast<std::size_t>(std::ceil(range_share * (count + 1))));
  bool first = true;
  for (std::size_t begin = 0; begin + wanted <= possible.size(); ++begin) {
    const Range<double> one{std::min(possible[begin], inside), std::max(possible[begin + wanted - 1], inside)};
    if (first || one.high - one.low < best.high - best.low) best = one;
    first = false;
  }
  return best;
}

}  // namespace takt
