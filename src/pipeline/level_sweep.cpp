#include "pipeline/level_sweep.h"

#include <algorithm>

namespace takt {
namespace {

/// Times of events are nearly in order; the check costs a hundredth of the sort.
void sort_times(std::vector<std::int64_t>& times) {
  if (!std::is_sorted(times.begin(), times.end())) std::sort(times.begin(), times.end());
}

}  // namespace

void SpanEnds::reserve(std::size_t spans) {
  starts_.reserve(spans);
  ends_.reserve(spans);
}

Intervals SpanEnds::at_least(std::size_t level) {
  if (!sorted_) {
    sort_times(starts_);
    sort_times(ends_);
    sorted_ = true;
  }
  Intervals set;
  std::size_t begun = 0, ended = 0;
  const std::size_t count = starts_.size();
  bool open = false;
  while (ended < count) {
    const std::int64_t now = begun < count ? std::min(starts_[begun], ends_[ended]) : ends_[ended];
    while (begun < count && starts_[begun] == now) ++begun;
    while (ended < count && ends_[ended] == now) ++ended;
    const bool reached = begun - ended >= level;
    if (reached == open) continue;
    if (reached)
      set.push_back({now, now});
    else
      set.back().end = now;
    open = reached;
  }
  return set;
}

}  // namespace takt
