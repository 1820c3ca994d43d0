// Where the time of training steps went: every instant of a step in one part, so that the parts add up to it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "training/steps/steps.h"

namespace takt {

/// In the order in which they take an instant: what a device computes hides everything else, a copy hides
/// communication, and so on; so a part is what would be seen of it on a clock. A trace of the host alone has
/// communication after host_compute, as nothing runs beside it there. (The order of the TensorBoard plugin, which has
/// no synchronisation.)
enum class StepPart : std::uint8_t {
  kernel,
  memory_copy,  ///< copies and fills
  communication,
  launch,           ///< calls of the device's runtime, but those that wait
  synchronisation,  ///< calls that wait for the device
  data_wait,
  host_compute,  ///< operators
  idle,          ///< none of these: the program's own code, or nothing
};
constexpr std::size_t step_part_count = 8;
inline constexpr std::string_view step_share_meaning = "Fraction of the time of all steps, 0 to 1.";
inline constexpr std::string_view activity_meaning =
    "Activity of the training step, the first that applies at each time: kernel, memory_copy, communication (work of a "
    "device), launch, synchronisation (calls of the device runtime), data_wait, host_compute (operators), idle (none "
    "of them). Without a device, communication counts after host_compute.";
std::string_view name_of(StepPart part);     ///< "data_wait"
std::string_view meaning_of(StepPart part);  ///< one sentence

struct Breakdown {
  std::vector<std::array<std::int64_t, step_part_count>> by_step;  ///< nanoseconds; each adds up to the step
  std::array<bool, step_part_count> applies{};                     ///< false: the trace has nothing of its kind
  std::int64_t total = 0;                                          ///< of all steps

  std::int64_t sum(StepPart part) const;
  double share(StepPart part) const;  ///< of the total; 0 of nothing
};

Breakdown break_down(const Activity& activity, const Steps& steps);

/// Returns how much time of a set is in each step, in ns.
std::vector<std::int64_t> by_step(const Intervals& set, const Steps& steps);

/// The times in which a step runs.
Intervals steps_cover(const Steps& steps);

/// Returns the sum over all steps.
std::int64_t sum_of(const std::vector<std::int64_t>& by_step);

/// Returns, per step, how many values the training threads read back, except reads that start within `left_out`. item()
/// calls _local_scalar_dense(): the pair counts once.
std::vector<std::int64_t> reads_by_step(const Activity& activity, const Steps& steps, const Intervals& left_out = {});

}  // namespace takt
