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

/// Returns the median time of the runs that executed the operator (samples other than 0), multiplied by their share of
/// all runs: a branch taken in a third of the runs counts a third. Zero if `samples` is empty or all zero.
Duration typical_time(std::span<const Nanoseconds> samples);

/// Returns the mean divided by the typical time if that is 1.5 or more. nullopt otherwise, and with fewer than 5
/// samples.
std::optional<double> unsteadiness(std::span<const Nanoseconds> samples);

}  // namespace takt
