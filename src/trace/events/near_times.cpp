#include "trace/events/near_times.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace takt {
namespace {

constexpr std::size_t fewest_events = 20, fewest_zeros = 5, sample_size = 1000;
constexpr std::uint64_t near_ns = 10'000'000'000, most_lengths = 1000, most_lengths_from_zero = 100;

std::uint64_t distance(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

bool is_far(std::uint64_t gap, std::uint64_t length) { return gap > near_ns && gap / most_lengths > length; }

std::uint64_t length_of(const NearTimes& times) { return distance(times.first, times.last); }

/// Whether the middle of a sample is long enough that nothing can be far from it.
bool is_one_piece(std::uint64_t whole, std::vector<std::int64_t> sample) {
  if (sample.empty()) return true;
  std::sort(sample.begin(), sample.end());
  return !is_far(whole, distance(sample[sample.size() / 5], sample[sample.size() * 4 / 5]));
}

/// Grows from the middle one, by the nearer of its two neighbours at a time.
NearTimes grown_from_the_middle(std::vector<std::int64_t> starts) {
  std::sort(starts.begin(), starts.end());
  std::size_t low = starts.size() / 2, high = low;
  while (low > 0 || high + 1 < starts.size()) {
    const std::uint64_t before = low > 0 ? distance(starts[low - 1], starts[low]) : UINT64_MAX;
    const std::uint64_t after = high + 1 < starts.size() ? distance(starts[high], starts[high + 1]) : UINT64_MAX;
    if (is_far(std::min(before, after), distance(starts[low], starts[high]))) break;
    before <= after ? --low : ++high;
  }
  if ((high - low + 1) * 10 < starts.size() * 9) return {starts.front(), starts.back()};
  return {starts[low], starts[high]};
}

/// `start_of(i)` for i below `count`.
template <typename StartOf>
NearTimes near_of(std::size_t count, StartOf start_of) {
  if (count < fewest_events) return {};
  std::size_t zeros = 0;
  NearTimes told{INT64_MAX, INT64_MIN};
  std::vector<std::int64_t> sample;
  const std::size_t stride = std::max<std::size_t>(1, count / sample_size);
  std::size_t next = 0;  // to be in the sample
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t start = start_of(i);
    if (start == 0) {
      ++zeros;
      continue;
    }
    told.first = std::min(told.first, start);
    told.last = std::max(told.last, start);
    if (i < next) continue;
    sample.push_back(start);
    next = i + stride;
  }
  if (zeros == count) return {};
  if (!is_one_piece(length_of(told), std::move(sample))) {
    std::vector<std::int64_t> starts;
    starts.reserve(count - zeros);
    for (std::size_t i = 0; i < count; ++i)
      if (start_of(i) != 0) starts.push_back(start_of(i));
    const NearTimes near = grown_from_the_middle(std::move(starts));
    if (zeros == 0) return near;
    told = near;
  }
  if (zeros == 0) return {};
  const std::uint64_t gap = told.first > 0 ? distance(0, told.first) : 0, length = length_of(told);
  const bool are_times = zeros >= fewest_zeros ? length == 0 || gap / most_lengths_from_zero <= length
                                               : !is_far(gap, length) || zeros * 10 > count;
  if (!are_times) return told;
  return {std::min<std::int64_t>(told.first, 0), std::max<std::int64_t>(told.last, 0)};
}

}  // namespace

NearTimes near_starts(std::span<const TraceEvent> events) {
  return near_of(events.size(), [&](std::size_t i) { return events[i].start_ns; });
}

NearTimes near_starts(std::span<const TimeInterval> some, std::span<const TimeInterval> others) {
  return near_of(some.size() + others.size(),
                 [&](std::size_t i) { return i < some.size() ? some[i].start : others[i - some.size()].start; });
}

}  // namespace takt
