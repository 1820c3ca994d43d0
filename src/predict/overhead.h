// What an inference takes beyond its kernels: entering and leaving the runtime, and a little for each kernel.
#pragma once

#include <span>

namespace takt {

/// Of one model: how many kernels it has, and its time less the sum of theirs.
struct OverheadSample {
  double kernels = 0, us = 0;
};

/// overhead = fixed + per_kernel · kernels. Negative per kernel where kernels overlap or their records cost time.
struct Overhead {
  double fixed_us = 0, per_kernel_us = 0;

  double of(std::size_t kernels) const { return fixed_us + per_kernel_us * static_cast<double>(kernels); }
};

/// The line through the samples that minimises absolute deviations (robust: one model that was disturbed does not bend
/// it). With fewer than three samples the slope is none and the middle value is the constant; without samples 0.
Overhead fit_overhead(std::span<const OverheadSample> samples);

}  // namespace takt
