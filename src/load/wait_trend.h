// Whether a probe's mean is already old: a load that began or ended while the probe worked.
//
// Problem: how long a thread waits shows over a while only, and in that while the load may change. Idea: how many
// threads want a processor can be read at any moment, and exactly. Where there are more of them than processors they
// take turns, so a thread takes threads / processors times as long. What this says of the end of the while, over what
// it says of all of it, is how the wait has changed.
#pragma once

#include <optional>
#include <span>

#include "core/units.h"

namespace takt {

struct RunnableSample {
  Nanoseconds time{};
  double threads = 0;  ///< that ran or could have on this machine, who looks included
};

/// How many times as long a thread takes at the end (the last fifth of the time) as over all of it; 1: alike. nullopt
/// with fewer than ten samples. `processors`: that threads share, above 0; samples in the order of time.
std::optional<double> wait_trend(std::span<const RunnableSample> samples, int processors);

}  // namespace takt
