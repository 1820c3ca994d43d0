// Where the time of training steps went: every instant of a step in one part, so that the parts add up to it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "training/steps.h"

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
inline constexpr std::string_view step_share_meaning = "Share of the time of all steps, as a ratio: 1 is all of it.";
inline constexpr std::string_view activity_meaning =
    "What a stretch of a training step counts as, the first that applies: kernel, memory_copy, communication (what a "
    "device does), launch, synchronisation (calls of its runtime), data_wait, host_compute (operators), idle (none of "
    "them). Without a device, communication counts after host_compute.";
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

/// How much of a set lies in each step.
std::vector<std::int64_t> by_step(const Intervals& set, const Steps& steps);

/// Of all steps together.
std::int64_t sum_of(const std::vector<std::int64_t>& by_step);

/// How many values the threads that train read back in each step, but those that they begin to read in `left_out`.
/// item() calls _local_scalar_dense(): the pair counts once.
std::vector<std::int64_t> reads_by_step(const Activity& activity, const Steps& steps, const Intervals& left_out = {});

}  // namespace takt
