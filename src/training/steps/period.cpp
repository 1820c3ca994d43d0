#include "training/steps/period.h"

#include <algorithm>

#include "base/statistics/statistics.h"

namespace takt {

std::optional<Period> period_of(const std::vector<std::int64_t>& values, double times) {
  for (std::size_t length = 2; 2 * length <= values.size() + 1; ++length) {
    for (std::size_t first = 0; first < length && first + length < values.size(); ++first) {
      Period period{length, {}};
      std::int64_t least = INT64_MAX, most_of_others = 0;
      double sum = 0;
      std::vector<double> others;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % length != first) {
          others.push_back(static_cast<double>(values[i]));
          most_of_others = std::max(most_of_others, values[i]);
          continue;
        }
        period.long_ones.push_back(i);
        least = std::min(least, values[i]);
        sum += static_cast<double>(values[i]);
      }
      const double usual = median(others).value_or(0);
      if (least > most_of_others && sum > times * usual * static_cast<double>(period.long_ones.size())) return period;
    }
  }
  return std::nullopt;
}

}  // namespace takt
