// How many spans are open at a time, asked for times that only grow: two places in two sorted lists, without making the
// set of times at which something holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/basics/check.h"

namespace takt {

/// Begins and ends of spans, apart from each other and each sorted: how many are open is known without knowing which.
/// All that begins and ends at one instant does so at once, so spans without length count nothing. The lists must
/// outlive it.
class OpenSpans {
 public:
  OpenSpans() = default;
  OpenSpans(std::span<const std::int64_t> starts, std::span<const std::int64_t> ends)
      : start_(starts.data()), start_end_(start_ + starts.size()), end_(ends.data()), end_end_(end_ + ends.size()) {}

  /// `time` is not before that of an earlier call.
  std::ptrdiff_t count(std::int64_t time) {
    for (; start_ != start_end_ && *start_ <= time; ++start_) ++open_;
    for (; end_ != end_end_ && *end_ <= time; ++end_) --open_;
    TAKT_DCHECK(open_ >= 0);
    return open_;
  }
  /// When something begins or ends after the last time asked for; the largest number: never.
  std::int64_t next() const {
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    const std::int64_t start = start_ == start_end_ ? never : *start_, end = end_ == end_end_ ? never : *end_;
    return start < end ? start : end;
  }

 private:
  const std::int64_t *start_ = nullptr, *start_end_ = nullptr, *end_ = nullptr, *end_end_ = nullptr;
  std::ptrdiff_t open_ = 0;
};

}  // namespace takt
