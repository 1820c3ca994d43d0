#include "predict/fit/machine_constants.h"

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"

namespace takt {

MachineConstants constants_of(const Peaks& peaks, int threads) {
  const bool one = threads == 1;
  const ComputePeaks* compute = best_compute(peaks, NumberType::f32, one);
  if (!compute || peaks.levels.empty())
    throw Error(ErrorKind::runtime, "the machine's peaks are unknown; run 'takt devices --measure'");
  return {best_of(compute->rate, one), bandwidth_of(peaks, peaks.levels.size() - 1, one)};
}

double roofline_us(const KernelFacts& facts, const MachineConstants& machine, double fixed_us) {
  const double flops = std::isnan(facts[Feature::flops]) ? 0 : facts[Feature::flops];
  const double bytes = facts[Feature::input_bytes] + facts[Feature::output_bytes] + facts[Feature::weight_bytes];
  return std::max(flops / machine.flops_per_s, bytes / machine.bytes_per_s) * 1e6 + fixed_us;
}

}  // namespace takt
