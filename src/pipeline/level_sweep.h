// When were at least so many of these spans open at once? The one question behind busy, waiting, full and blocked.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/intervals.h"

namespace takt {

/// Begins and ends of spans, apart from each other: how many are open at a time is known without knowing which.
class SpanEnds {
 public:
  void reserve(std::size_t spans);
  void add(std::int64_t start, std::int64_t end) {
    starts_.push_back(start);
    ends_.push_back(end);
  }
  /// When at least `level` (1 or more) spans are open. All that begins and ends at one instant does so at once, so
  /// spans that touch leave no gap and those without length count nothing. Sorts what is not in order.
  Intervals at_least(std::size_t level);

 private:
  std::vector<std::int64_t> starts_, ends_;
  bool sorted_ = false;
};

}  // namespace takt
