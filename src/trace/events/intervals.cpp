#include "trace/events/intervals.h"

#include <algorithm>
#include <numeric>

#include "base/statistics/sorting.h"

namespace takt {
namespace {

bool before(const TimeInterval& a, const TimeInterval& b) {
  return a.start != b.start ? a.start < b.start : a.end < b.end;
}

/// Appends to a set whose intervals arrive by start.
void extend(Intervals& set, TimeInterval next) {
  if (next.end <= next.start) return;
  if (!set.empty() && next.start <= set.back().end)
    set.back().end = std::max(set.back().end, next.end);
  else
    set.push_back(next);
}

}  // namespace

void sort_intervals(std::vector<TimeInterval>& list) { sort_nearly_sorted(list, before); }

Intervals unite(std::vector<TimeInterval> list) {
  sort_intervals(list);
  Intervals set;
  for (const TimeInterval& next : list) extend(set, next);
  return set;
}

Intervals unite(const Intervals& a, const Intervals& b) {
  Intervals set;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool take_a = j == b.size() || (i < a.size() && before(a[i], b[j]));
    extend(set, take_a ? a[i++] : b[j++]);
  }
  return set;
}

Intervals intersect(const Intervals& a, const Intervals& b) {
  Intervals set;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const TimeInterval shared{std::max(a[i].start, b[j].start), std::min(a[i].end, b[j].end)};
    if (shared.start < shared.end) set.push_back(shared);
    if (a[i].end < b[j].end)
      ++i;
    else
      ++j;
  }
  return set;
}

Intervals subtract(const Intervals& a, const Intervals& b) {
  Intervals set;
  std::size_t j = 0;
  for (const TimeInterval& whole : a) {
    std::int64_t start = whole.start;
    while (j < b.size() && b[j].end <= start) ++j;
    for (std::size_t k = j; k < b.size() && b[k].start < whole.end; ++k) {
      if (start < b[k].start) set.push_back({start, b[k].start});
      start = std::max(start, b[k].end);
    }
    if (start < whole.end) set.push_back({start, whole.end});
  }
  return set;
}

Intervals gaps(const Intervals& set, TimeInterval window) {
  if (window.end <= window.start) return {};
  return subtract({window}, set);
}

Intervals clip(const Intervals& set, TimeInterval window) {
  if (window.end <= window.start) return {};
  return intersect(set, {window});
}

bool contains(const Intervals& set, std::int64_t time) {
  const auto after = std::upper_bound(set.begin(), set.end(), time,
                                      [](std::int64_t t, const TimeInterval& span) { return t < span.start; });
  return after != set.begin() && time < std::prev(after)->end;
}

Nanoseconds total(const Intervals& set) {
  return Nanoseconds(std::accumulate(set.begin(), set.end(), std::int64_t{0},
                                     [](std::int64_t sum, const TimeInterval& i) { return sum + (i.end - i.start); }));
}

TimeInterval hull(const Intervals& set) {
  return set.empty() ? TimeInterval{} : TimeInterval{set.front().start, set.back().end};
}

Nanoseconds covered(std::vector<TimeInterval> list) {
  sort_intervals(list);
  std::int64_t sum = 0, reached = list.empty() ? 0 : list.front().start;
  for (const TimeInterval& next : list) {
    if (next.end <= reached || next.end <= next.start) continue;
    sum += next.end - std::max(next.start, reached);
    reached = next.end;
  }
  return Nanoseconds(sum);
}

}  // namespace takt
