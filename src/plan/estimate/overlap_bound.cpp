#include "plan/estimate/overlap_bound.h"

#include <algorithm>

namespace takt {
namespace {

/// Time of computing that grows with the time for which both compute.
struct Growing {
  double alone, growth;

  double at(double together) const { return std::max(together, alone + together * growth); }
};

Growing computing(const LoneBlock& block, double batches) {
  return {batches * static_cast<double>(block.computes), 1 - 1 / block.slow_down};
}

}  // namespace

std::int64_t least_time_of_two(const LoneBlock& a, const LoneBlock& b, std::int64_t batches) {
  const auto n = static_cast<double>(batches);
  const Growing ta = computing(a, n), tb = computing(b, n);
  const double host_a = n * static_cast<double>(a.on_host), host_b = n * static_cast<double>(b.on_host);
  double together = 0;
  // tA + tB − x falls until one block computes only beside the other, or until a block and its host take longer.
  if (ta.growth + tb.growth < 1)
    together =
        std::min({ta.alone * a.slow_down, tb.alone * b.slow_down, std::max(0.0, (tb.alone - host_a) * b.slow_down),
                  std::max(0.0, (ta.alone - host_b) * a.slow_down)});
  const double least =
      std::max({host_a + ta.at(together), host_b + tb.at(together), ta.at(together) + tb.at(together) - together});
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(least * (1 - 1e-9)) - 4 * batches);
}

}  // namespace takt
