// Runs of one program that go at either of two speeds: a processor's clock, where memory came to lie, which of two ways
// a runtime took. Which of them a run has, and for how long, is chance; a comparison must not take it for a change.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/compare/profile_reader.h"

namespace takt {

struct TwoSpeeds {
  double fast = 0, slow = 0;  ///< medians of the runs at each, nanoseconds
  double slow_share = 0;      ///< of the runs, 0..1
  double gap() const;         ///< logarithm of slow over fast
};

/// Two groups that hold a tenth of the samples at least, with hardly anything between them: a long tail is none. Zeros
/// (did not execute) are left out. nullopt: one speed, or fewer than 40 samples.
std::optional<TwoSpeeds> two_speeds(std::span<const Nanoseconds> samples);

/// Those of a side whose gap is the widest; nullopt: no run of it has two.
std::optional<TwoSpeeds> two_speeds_of(std::span<const RecordedProfile> side);

/// What two_speeds_of() finds of each side.
struct SpeedsOfSides {
  std::optional<TwoSpeeds> before, after;
};

/// A sentence for each side that has two speeds.
std::vector<std::string> notes_on_speeds(const SpeedsOfSides& speeds);

}  // namespace takt
