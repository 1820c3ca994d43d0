// What the state of the machine (its clocks, which processors, whose neighbour in caches and memory) does to the
// operators of a run, all alike or each in its own way.
//
// Problem: two starts of a program on a busy machine differ by a tenth and more, all operators alike, while an operator
// beside the others of its run differs by a percent. A slow-down of one operator is lost in the first and plain in the
// second. Taking off what they share is right only where it is the machine's, which no run tells by itself: compare.cpp
// does so where the whole run's interval has room for no change at all, and says so.
#pragma once

#include <vector>

#include "measure/compare/difference.h"

namespace takt {

/// The operators' median change; 0 where they are few.
double shared_change(const std::vector<Difference>& ops);

/// Takes off each run's level what its operators share: the median, over operators, of their distance from their own
/// mean of both sides. A median, so that what a few operators do stays theirs. Returns what that took off the values,
/// after against before. All operators have the same runs; their variances are to be found anew, from runs alone: what
/// samples within a run scatter and drift by is mostly of what was taken off. Where they are few, does nothing and
/// returns 0.
double take_off_shared(std::vector<Difference>& ops);

/// Where the operators' changes scatter by more than their variances explain, the machine was in another state (which
/// processors, whose neighbour in caches and memory): an operator then has to stand out from that scatter.
void use_scatter(std::vector<Difference>& ops);

}  // namespace takt
