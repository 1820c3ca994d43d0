// The range of an answer: what else it may be.
#pragma once

#include <optional>
#include <vector>

namespace takt {

/// low ≤ high.
template <typename Value>
struct Range {
  Value low{}, high{};
};

/// How many of the runs that are possible a stated range holds.
inline constexpr double range_share = 0.9;

/// The shortest range that holds `inside` and nine of ten of `possible`; of none, `inside` alone.
Range<double> shortest_range(std::vector<double> possible, double inside);

}  // namespace takt
