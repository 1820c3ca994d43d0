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
  TimeInterval span{};      ///< where a device works behind the program: of the device, see settle_on_device()
  TimeInterval host{};      ///< in the program
};

enum class StepSource : std::uint8_t { none, marks, kernels, operators, optimizer, annotation, loader };
std::string_view name_of(StepSource source);

/// By start, disjoint.
struct Steps {
  StepSource source = StepSource::none;
  std::vector<TrainingStep> list;
  bool left_out_ends = false;            ///< without marks: what lies before the first and after the last whole step
  std::vector<TrainingStep> warm_up;     ///< the first ones, where they take far longer than the others: set apart
  std::vector<TrainingStep> unrecorded;  ///< set apart, too: the work that they gave the device is not in the trace
  bool is_misplaced = false;             ///< work lies before its launch or behind a wait for it: no times to trust
  std::int64_t device_lead = 0;          ///< how far before its launch work lies, of misplaced work that does
  double lost_share = 0;                 ///< of calls in the steps, 0 to 1, whose work is not in the trace
  std::optional<StringId> pass{};        ///< the name of the annotations that the steps are
};

/// Steps by the marks of the thread that has most of them: each from its mark to the next one's, the last to the end of
/// its mark. Else from the order of kernels on the busiest row of a device, each from the launch of its first kernel;
/// else from the order of operators of the row that trains with most of them. An annotation that spans what comes again
/// says that it is parts of one pass; calls of the optimizer count where they tell of other steps. Nothing comes again:
/// no steps. Then settled on the device, and what is no steady step is set apart.
Steps find_steps(const Activity& activity);

/// Position of the step that the time is in; nullopt: between steps. O(log n).
std::optional<std::size_t> step_at(const Steps& steps, std::int64_t time);

/// Steps without marks, as if there were none; not settled.
Steps steps_by_repetition(const Activity& activity);

/// What says of repeated stretches that they are parts of a pass, or micro batches: an annotation, calls of the
/// optimizer, waits for batches. Returns the steps that these tell of, else `repeated`.
Steps steps_by_names(const Activity& activity, Steps repeated);

/// Moves borders of steps to when the device is done with all work of the steps before: a program that runs ahead would
/// show the device's backlog as one long last step. Where the device waits for the program, the borders stay.
void settle_on_device(const Activity& activity, Steps& steps);

/// Takes steps out of the list whose work was not recorded, and first ones that take several times as long as the rest.
void set_apart(const Activity& activity, Steps& steps);

/// Positions in `sequence` at which a step begins, by what comes again and again; empty: nothing does. The last one is
/// where the last whole step ends: one beyond the sequence if it ends with it.
///
/// A name that occurs once in each step has the same distance, counted in events, between its occurrences as every
/// other such name; names of layers, which occur many times in a step, do not agree. So the distance on which most
/// names agree is the step's length, and the one of these names that comes first counts the steps, from the front of
/// the sequence on. Steps may take different times, and some may have a few events more. O(n log n).
std::vector<std::size_t> find_repetition(const std::vector<std::uint32_t>& sequence);

}  // namespace takt
