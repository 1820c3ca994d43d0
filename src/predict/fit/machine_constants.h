// What a machine can do at most, as two measured numbers, and the least time that a kernel could take by them.
//
// A regression on milliseconds cannot say anything about kernels that are larger than those it has seen: trees repeat
// the largest leaf. The ratio of the time to what the machine's peaks allow is bounded, whatever the size, so takt
// learns that ratio (Lee et al., NeuSight, ASPLOS 2025, learn the utilisation for the same reason).
#pragma once

#include <string>

#include "base/machine/peaks.h"
#include "predict/fit/kernel_facts.h"

namespace takt {

struct MachineConstants {
  double flops_per_s = 0;  ///< float32, with the session's threads
  double bytes_per_s = 0;  ///< of main memory

  bool operator==(const MachineConstants&) const = default;
};

/// Throws Error(runtime) where the machine has no measured peak for float32.
MachineConstants constants_of(const Peaks& peaks, int threads);

/// The time that the work takes at the peak rate and that its bytes take from main memory: the longer one, and
/// `fixed_us` on top. FLOPs that are not known count as none here, so a rare operator is a copy of its bytes at least.
double roofline_us(const KernelFacts& facts, const MachineConstants& machine, double fixed_us);

}  // namespace takt
