// From what a runtime's records say of the kernels to what an inference takes unobserved: entering and leaving the
// runtime costs time, and every record costs some that an unobserved run does not have.
//
// A record costs about the same whatever it records, two to three microseconds with ONNX Runtime: more than a small
// kernel takes, and more than one model's own runs with and without records can tell, but a line through all models
// tells it to a per cent. So datasets keep times as they were recorded, regressions learn those (nothing small and
// uncertain is left over by a difference), and what the records cost is taken out of the sum.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "predict/fit/launching.h"

namespace takt {

/// whole = Σ recorded + fixed + per_kernel · kernels. Per kernel it is negative: what a record costs, less what comes
/// between two kernels. On a device of its own whole is what `launching` says, and records cost nothing there.
struct Overhead {
  double fixed_us = 0, per_kernel_us = 0;
  std::optional<Launching> launching = {};

  /// Returns the time of an inference of these kernels; a model that is all overhead (of reshapes) stays above zero.
  double whole(std::span<const KernelTime> kernels, double io_bytes) const;
  /// Returns a kernel's recorded time without the cost of the record, but at least a twentieth of it.
  double taken_out(double recorded_us) const;
};

/// The line through the samples that minimises absolute deviations (robust: one model that was disturbed does not bend
/// it). With fewer than three samples the slope is none and the middle value is the constant; without samples 0.
/// `device` "CPU" executes what it is asked for itself; others are launched.
Overhead fit_overhead(std::span<const WholeSample> samples, std::string_view device);

}  // namespace takt
