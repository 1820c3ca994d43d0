// The steps of a training: by PyTorch's marks, or without them by what comes again and again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "training/steps/activity.h"

namespace takt {

struct TrainingStep {
  std::int64_t number = 0;  ///< of the mark; without marks from 0
  TimeInterval span;
};

enum class StepSource : std::uint8_t { none, marks, kernels, operators };
std::string_view name_of(StepSource source);

/// By start, disjoint.
struct Steps {
  StepSource source = StepSource::none;
  std::vector<TrainingStep> list;
  bool left_out_ends = false;  ///< without marks: what lies before the first and after the last whole step
};

/// Steps by marks where there are some: each from its mark to the next one's, the last to the end of its mark or of the
/// work that it gave the device. Else from the order of kernels on the busiest row of a device, each from the launch
/// of its first kernel; else from the order of operators of the row that trains with most of them. Nothing comes again:
/// no steps.
Steps find_steps(const Activity& activity);

/// Position of the step that the time is in; nullopt: between steps. O(log n).
std::optional<std::size_t> step_at(const Steps& steps, std::int64_t time);

/// Steps without marks, as if there were none.
Steps steps_by_repetition(const Activity& activity);

/// Positions in `sequence` at which a step begins, by what comes again and again; empty: nothing does. The last one is
/// where the last whole step ends: one beyond the sequence if it ends with it.
///
/// A name that occurs once in each step has the same distance, counted in events, between its occurrences as every
/// other such name; names of layers, which occur many times in a step, do not agree. So the distance on which most
/// names agree is the step's length, and the one of these names that comes first counts the steps, from the front of
/// the sequence on. Steps may take different times, and some may have a few events more. O(n log n).
std::vector<std::size_t> find_repetition(const std::vector<std::uint32_t>& sequence);

}  // namespace takt
