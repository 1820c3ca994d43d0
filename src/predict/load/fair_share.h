// How long a thread waits for a processor, by how many threads want one.
//
// Problem: of three busy threads on two processors each gets two thirds of one in the end, but within a second one of
// them may have shared a processor all the time, so how long a probe of a second waited is partly luck, which the next
// program will not have. And in that second the load may change. Idea: how many threads want a processor can be read at
// any moment, and exactly. Where there are more of them than processors they take turns, so a thread takes threads /
// processors times as long. The mean of that is the wait of one without luck; that of the end of the while, over the
// mean of all of it, is how the wait has changed. Threads that sleep in between share otherwise than this says, so it
// stands beside what the probe waited.
#pragma once

#include <optional>
#include <span>

#include "base/basics/units.h"

namespace takt {

struct RunnableSample {
  Nanoseconds time{};
  double threads = 0;  ///< that ran or could have on this machine, who looks included
};

struct FairShare {
  double wait_ratio = 0;  ///< time that a thread waits that gets its fair share, per time in which it has a processor
  double trend = 1;       ///< how many times as long it takes at the end (the last fifth of the time) as over all of it
};

/// nullopt with fewer than ten samples. `processors`: that the threads share, above 0. Samples in the order of time,
/// taken by a busy thread at equal distances of its own processor time: then their mean is that over what the thread
/// did.
std::optional<FairShare> fair_share_of(std::span<const RunnableSample> samples, int processors);

}  // namespace takt
