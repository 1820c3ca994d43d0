// What the samples of one run say about a time, and how far that can be trusted when another run is compared with it.
//
// Problem: samples of one run are correlated and their noise only adds time, so a bootstrap over single samples is far
// too sure of itself and finds "changes" between two runs of the same thing. What is done instead:
// * the typical time is the mean of the faster half without its extremes: interference seldom reaches it, and unlike a
//   percentile it is not stuck on the steps of a coarse clock;
// * its variance is that between contiguous blocks of the run (batch means), so that correlation counts;
// * the same blocks from shuffled samples tell what independent samples would give. Variance beyond that is slow
//   drift, which no longer run averages away: it is a floor for the difference of two runs (Kalibera & Jones, "Rigorous
//   benchmarking in reasonable time", 2013: variance lives on several levels, and the highest one counts).
#pragma once

#include <optional>
#include <span>

#include "core/units.h"

namespace takt {

/// A time in one run, on a logarithmic scale (natural), where a slow-down by a factor is a sum.
struct RunLevel {
  double log_time = 0;           ///< of the typical time in nanoseconds
  double log_fast = 0;           ///< of the 5th percentile
  double block_variance = 0;     ///< between the blocks of the run
  double shuffled_variance = 0;  ///< between blocks of the same size with the samples in random order
  double spread = 0;             ///< robust standard deviation of single samples (half the width of the middle 68 %)
  int blocks = 0;
  std::size_t count = 0;  ///< of samples
};

/// Zeros (did not execute) are left out. nullopt: fewer than 5 samples are left. Deterministic.
std::optional<RunLevel> run_level(std::span<const Nanoseconds> samples);

}  // namespace takt
