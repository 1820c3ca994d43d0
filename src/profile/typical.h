// The middle of an operator's times that noise does not move, and how far its mean is from it.
//
// A mean over runs on a busy machine is carried by the few in which another program had the processor: an operator of
// 100 us may lead the list with 3 ms. So operators stand in the order of a median, and those whose mean is far above
// it are marked.
#pragma once

#include <optional>
#include <span>

#include "base/basics/units.h"

namespace takt {

/// Of an operator's time in each run (0 where it did not execute): the median of the runs that executed it, times their
/// share of all. So a branch that is taken in a third of the runs counts a third. 0 of nothing.
Duration typical_time(std::span<const Nanoseconds> samples);

/// How many times the typical time the mean is, where that is worth a mark: 1.5 and more. nullopt else, and where
/// there are too few samples (below 5) to speak of a middle.
std::optional<double> unsteadiness(std::span<const Nanoseconds> samples);

}  // namespace takt
