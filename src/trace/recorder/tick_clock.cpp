#include "trace/recorder/tick_clock.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "takt/tick_clock.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace takt {
namespace {

constexpr std::size_t most_anchors = std::size_t{1} << 16;

/// "Invariant TSC": ticks at a constant rate in all power states (Intel SDM volume 3, 18.17; CPUID 80000007H, EDX bit
/// 8).
bool has_invariant_counter() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
#else
  return false;
#endif
}

}  // namespace

const bool TickClock::uses_counter_ = has_invariant_counter();

TickAnchor read_anchor() {
  TickAnchor best;
  std::uint64_t narrowest = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t before = TickClock::now();
    const std::uint64_t steady = TickClock::monotonic_ns();
    const std::uint64_t after = TickClock::now();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    best = {before + narrowest / 2, static_cast<std::int64_t>(steady)};
  }
  return best;
}

void TickConversion::add(TickAnchor anchor) {
  if (!anchors_.empty() && (anchor.ticks <= anchors_.back().ticks || anchor.steady_ns <= anchors_.back().steady_ns)) {
    return;
  }
  if (anchors_.size() == most_anchors) {
    for (std::size_t i = 1; 2 * i < anchors_.size(); ++i) anchors_[i] = anchors_[2 * i];
    anchors_.resize(anchors_.size() / 2);
  }
  anchors_.push_back(anchor);
}

Nanoseconds TickConversion::steady_time(std::uint64_t ticks) const {
  constexpr double most = 0x1p62;
  if (!counts_ || anchors_.size() < 2)
    return Nanoseconds(static_cast<std::int64_t>(std::min(ticks, static_cast<std::uint64_t>(most))));
  auto right = std::upper_bound(anchors_.begin() + 1, anchors_.end() - 1, ticks,
                                [](std::uint64_t t, const TickAnchor& anchor) { return t < anchor.ticks; });
  const TickAnchor &a = *(right - 1), &b = *right;
  // A double holds differences of up to 2^53 ticks exactly: 40 days at 2.5 GHz between two anchors.
  const double share = static_cast<double>(static_cast<std::int64_t>(ticks - a.ticks)) /
                       static_cast<double>(static_cast<std::int64_t>(b.ticks - a.ticks));
  const double past = share * static_cast<double>(b.steady_ns - a.steady_ns);
  return Nanoseconds(a.steady_ns + std::llround(std::clamp(past, -most, most)));
}

}  // namespace takt
