// What a stage suffers from, and does to, the resources of a machine, as it was measured beside loads of known levels
// (pipeline/contention/stage_contention.h has the measuring): curves instead of a law that somebody named.
#pragma once

#include <span>
#include <vector>

#include "flow/slow_down_curve.h"

namespace takt {

/// What is known of a stage: all that a prediction needs.
struct StageContention {
  std::vector<SlowDownCurve> sensitivity;  ///< by resource
  std::vector<double> pressure;            ///< by resource, 0 to most_pressure
  double weaker_share = 1;                 ///< what counts of the weaker resources beside the largest, 0 to 2
};

/// What a stage does and suffers that runs each of these for its share of the time (their sum is 1), by the same loads.
StageContention mean_contention(std::span<const StageContention* const> stages, std::span<const double> shares);

/// Twice what the load can do at most; beyond 1 sensitivities are extrapolated.
inline constexpr double most_pressure = 2;

/// ln of slow-downs by several resources: the largest, and the sum of the others.
struct LogSlowDowns {
  double largest = 0, others = 0;
  double together(double weaker_share) const { return largest + weaker_share * others; }
};

/// Under this pressure, by resource.
LogSlowDowns log_slow_downs(const StageContention& stage, std::span<const double> pressure);

/// How many times as long the stage takes while others press so much in all, by resource; 1 or more. Pressures of
/// several add up: two that each want half of a memory leave as little of it as one that wants all.
double slow_down_under(const StageContention& stage, std::span<const double> pressure);

}  // namespace takt
