#include "base/machine/peaks.h"

#include <algorithm>

namespace takt {

std::string_view name_of(NumberType type) {
  switch (type) {
    case NumberType::f32:
      return "float32";
    case NumberType::f16:
      return "float16";
    case NumberType::bf16:
      return "bfloat16";
    case NumberType::int8:
      return "int8";
  }
  return "";
}

double best_of(const PeakPair& pair, bool one_thread) { return one_thread ? pair.one.best : pair.all.best; }

const ComputePeaks* best_compute(const Peaks& peaks, NumberType type, bool one_thread) {
  const ComputePeaks* best = nullptr;
  for (const ComputePeaks& compute : peaks.compute)
    if (compute.type == type && (!best || best_of(compute.rate, one_thread) > best_of(best->rate, one_thread)))
      best = &compute;
  return best;
}

double bandwidth_of(const Peaks& peaks, std::size_t level, bool one_thread) {
  double best = 0;
  for (std::size_t i = level; i < peaks.levels.size(); ++i)
    best = std::max({best, best_of(peaks.levels[i].read, one_thread), best_of(peaks.levels[i].copy, one_thread)});
  return best;
}

}  // namespace takt
