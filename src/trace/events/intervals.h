// Arithmetic on sets of time: what is covered, what is not, what two sets share.
//
// A set is a list of half-open intervals [start, end) that are sorted, disjoint and not touching; unite() makes one
// from any list. All results are exact integers, so parts of a whole add up to it. Sorting is the cost: recorded events
// are nearly sorted, and such a list is repaired by insertion in a third of the time of a sort.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/basics/units.h"

namespace takt {

struct TimeInterval {
  std::int64_t start = 0, end = 0;  ///< nanoseconds; start <= end
  bool operator==(const TimeInterval&) const = default;
};

/// Sorted, disjoint, not touching, none empty.
using Intervals = std::vector<TimeInterval>;

/// Sorts by start, then by end. O(n log n); O(n) where few neighbours are out of order.
void sort_intervals(std::vector<TimeInterval>& list);

/// What the list covers, in any order, overlapping or nested. Empty and reversed intervals cover nothing.
Intervals unite(std::vector<TimeInterval> list);
Intervals unite(const Intervals& a, const Intervals& b);

Intervals intersect(const Intervals& a, const Intervals& b);  ///< what both cover
Intervals subtract(const Intervals& a, const Intervals& b);   ///< what `a` covers and `b` does not
/// The uncovered parts of `window`.
Intervals gaps(const Intervals& set, TimeInterval window);
/// The part of the set inside `window`.
Intervals clip(const Intervals& set, TimeInterval window);

bool contains(const Intervals& set, std::int64_t time);  ///< O(log n)

Nanoseconds total(const Intervals& set);
/// From the first start to the last end; {0, 0} of nothing.
TimeInterval hull(const Intervals& set);

/// Covered time of a list in any order, without making the set.
Nanoseconds covered(std::vector<TimeInterval> list);

}  // namespace takt
