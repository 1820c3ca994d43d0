// When a slow-down of one stage by another counts, measured (interference.h) or seen in overlaps (contention_posterior.h).
#pragma once

namespace takt::slow_down {

inline constexpr double significance = 0.01;  ///< chance of naming one that is none, over all pairs together
inline constexpr double least_factor = 1.02;  ///< smaller ones are lost in the drift of any machine
inline constexpr double most_share = 0.9;     ///< of the time together; beyond it the factor would rest on a rounding

}  // namespace takt::slow_down
