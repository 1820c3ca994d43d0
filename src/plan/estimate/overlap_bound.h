// How long two blocks that slow each other down take at least, however their work falls together.
//
// Alone, M batches are M·a of work for block A and M·b for B. Let both compute at once for x in all. Beside B, A does
// at most 1/f of what it does alone, so it computes for at least tA = M·a + x·(1 − 1/f), and B for tB alike. Somebody
// computes for tA + tB − x, so that no run is shorter than the largest of tA, tB (each with what the block spends on
// the host) and tA + tB − x, for the x at which that is least. A third block makes all of it only longer.
#pragma once

#include <cstdint>

namespace takt {

/// What a block takes for one batch when nothing else runs.
struct LoneBlock {
  std::int64_t on_host = 0;   ///< ns: partition and merge, which nobody slows down
  std::int64_t computes = 0;  ///< ns
  double slow_down = 1;       ///< beside the other block
};

/// In ns; a little less than exact arithmetic would say, as a simulation rounds every execution to whole nanoseconds.
std::int64_t least_time_of_two(const LoneBlock& a, const LoneBlock& b, std::int64_t batches);

}  // namespace takt
