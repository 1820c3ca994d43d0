// From what a runtime's records say of the kernels to what an inference takes unobserved: entering and leaving the
// runtime costs time, and every record costs some that an unobserved run does not have.
//
// A record costs about the same whatever it records, two to three microseconds with ONNX Runtime: more than a small
// kernel takes, and more than one model's own runs with and without records can tell, but a line through all models
// tells it to a per cent. So datasets keep times as they were recorded, regressions learn those (nothing small and
// uncertain is left over by a difference), and what the records cost is taken out of the sum.
#pragma once

#include <cstddef>
#include <span>

namespace takt {

/// Of one model: how many kernels it has, and its unobserved time less the sum of their recorded ones.
struct OverheadSample {
  double kernels = 0, us = 0;
};

/// whole = Σ recorded + fixed + per_kernel · kernels. Per kernel it is negative: what a record costs, less what comes
/// between two kernels.
struct Overhead {
  double fixed_us = 0, per_kernel_us = 0;

  /// Of an inference of kernels with this recorded sum; a model that is all overhead (of reshapes) stays above zero.
  double whole(double recorded_us, std::size_t kernels) const;
  /// What a kernel takes of it: its recorded time without the cost of the record, a twentieth of it at least.
  double taken_out(double recorded_us) const;
};

/// The line through the samples that minimises absolute deviations (robust: one model that was disturbed does not bend
/// it). With fewer than three samples the slope is none and the middle value is the constant; without samples 0.
Overhead fit_overhead(std::span<const OverheadSample> samples);

}  // namespace takt
