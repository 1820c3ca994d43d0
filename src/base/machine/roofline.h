// Which limit of the machine an operator runs against (Williams, Waterman, Patterson: Roofline, CACM 2009), with
// measured peaks, one roof per type of numbers and one per level of memory (working_set.h says which level).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/machine/peaks.h"
#include "base/machine/working_set.h"

namespace takt {

/// What one operator did; nullopt where not known.
struct OpRate {
  std::optional<double> flops, bytes;
  Duration time{};
  bool one_thread = false;               ///< the peaks of one thread apply
  NumberType numbers = NumberType::f32;  ///< that the kernel multiplies
  /// The middle of its times, which the verdict is about: a few runs that were preempted make no operator overhead
  /// bound. Not known: `time`, of which the rates are.
  std::optional<Duration> usual_time{};
  std::optional<double> constants{};  ///< of the bytes, those of weights; not known: all are taken for activations
};

/// The bytes of an operator by kind; nullopt where they are not known.
std::optional<MovedBytes> moved_bytes_of(const OpRate& rate);

enum class Bound { compute, memory, overhead };
std::string_view bound_name(Bound bound);  ///< "compute bound", "memory bound", "overhead bound"

struct Roofline {
  Bound bound;
  double peak_share;         ///< the least time that the peaks allow / the time it took; 1 is the peak
  std::string memory_level;  ///< whose bandwidth the operator is held to
};

/// FLOP per byte; nullopt: one of the two is not known, or nothing was moved.
std::optional<double> intensity(const OpRate& rate);

/// How far below both roofs an operator is called overhead bound.
inline constexpr double overhead_factor = 5;

/// nullopt without FLOPs or bytes or time, or when the peak of the kernel's numbers is not known. `model` is what the
/// operators of one inference touch together.
std::optional<Roofline> roofline(const OpRate& rate, const WorkingSet& model, const Peaks& peaks);

/// What cannot be: "GFLOP/s", "GB/s" or both, where the operator's rate is above what the machine was measured to do at
/// all, by more than clocks differ; empty where it can be, or where the figures for it are missing.
std::string impossible_rates(const OpRate& rate, const Peaks& peaks);

/// One sentence for people who see such a mark.
std::string explain_impossible_rates(const Peaks& peaks, bool one_thread);

}  // namespace takt
