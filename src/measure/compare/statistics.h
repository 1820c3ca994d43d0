// What the samples of one run say about a time, and how far that can be trusted when another run is compared with it.
//
// Problem: samples of one run depend on each other (bursts of other programs, clocks, caches) and their noise only adds
// time, so an error from single samples is far too sure of itself and finds "changes" between two runs of the same
// thing. What is done instead:
// * the typical time is the mean of the faster half without its extremes (a trimmed mean): interference seldom reaches
//   it, and unlike a percentile it is not stuck on the steps of a coarse clock;
// * its variance is that between contiguous blocks of the run (batch means), of the trimmed mean's own linear form:
//   every sample counts with what it moves the trimmed mean by, which is bounded (Tukey and McLaughlin, "Less
//   vulnerable confidence and significance procedures", 1963). A burst of load in a few blocks then costs no more
//   certainty than it costs accuracy;
// * the same form of single samples tells what independent ones would give. What blocks have beyond that is slow drift,
//   which no longer run averages away: noise of that kind (1/f) varies from run to run as it does from block to block.
#pragma once

#include <optional>
#include <span>

#include "base/basics/units.h"

namespace takt {

/// A time in one run, on a logarithmic scale (natural), where a slow-down by a factor is a sum.
struct RunLevel {
  double log_time = 0;              ///< of the typical time in nanoseconds
  double variance = 0;              ///< of `log_time`, from the run's blocks
  double independent_variance = 0;  ///< the same if its samples did not depend on each other
  double depth = 0;                 ///< how far the typical time is above the 5th percentile, in logarithms
  int blocks = 0;
  std::size_t count = 0;  ///< of samples
};

/// Zeros (did not execute) are left out. nullopt: fewer than 5 samples are left. Deterministic.
std::optional<RunLevel> run_level(std::span<const Nanoseconds> samples);

/// The same of the mean of the slowest 5 %; `depth` is 0. nullopt: fewer than 100 samples are left.
std::optional<RunLevel> tail_level(std::span<const Nanoseconds> samples);

}  // namespace takt
