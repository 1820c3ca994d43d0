// Which limit of the machine an operator runs against (Williams, Waterman, Patterson: Roofline, CACM 2009), with
// measured peaks and one roof per level of memory.
#pragma once

#include <optional>
#include <string_view>

#include "machine/peaks.h"

namespace takt {

/// What one operator did; nullopt where not known.
struct OpRate {
  std::optional<double> flops, bytes;
  Duration time{};
  bool one_thread = false;  ///< the peaks of one thread apply
  bool bf16 = false;        ///< the kernel multiplies bfloat16
};

enum class Bound { compute, memory, overhead };
std::string_view bound_name(Bound bound);  ///< "compute bound", "memory bound", "overhead bound"

struct Roofline {
  Bound bound;
  double peak_share;  ///< the least time that the peaks allow / the time it took; 1 is the peak
};

/// FLOP per byte; nullopt: one of the two is not known, or nothing was moved.
std::optional<double> intensity(const OpRate& rate);

/// How far below both roofs an operator is called overhead bound.
inline constexpr double overhead_factor = 5;

/// nullopt without FLOPs or bytes or time, or when the CPU's bfloat16 peak is wanted and not known. The bandwidth is
/// that of the smallest level that holds half of the bytes (operators keep what they read twice near), reading or
/// copying, whichever is faster.
std::optional<Roofline> roofline(const OpRate& rate, const Peaks& peaks);

}  // namespace takt
