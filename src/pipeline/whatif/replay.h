// A recorded pipeline run once more, with changes: the recorded service times are fed through the same rules (flow) in
// the changed shape.
//
// What happened beside an execution is taken out of its time and put back as the new situation has it: by what is
// known of it (known_contention.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/record/pipeline_run.h"
#include "pipeline/whatif/change.h"

namespace takt {

/// The run as it would be with these changes, the last of each knob (change.h), on the virtual clock. Its times begin
/// with the first arrival; counters are empty. Throws UsageError for a stage or device that the run does not have
/// (naming the nearest), a device on which the stage was never measured (unless its time is changed too), a split that
/// cannot be told; Error(bad_input) as simulate() does.
PipelineRun replay(const PipelineRun& run, std::span<const PipelineChange> changes);

/// The same with the law given: one that was measured, or for many replays of one run. `batches`: batch b takes the
/// times of the recorded batch `batches[b]`; empty: its own.
PipelineRun replay(const PipelineRun& run, std::span<const PipelineChange> changes, const ContentionLaw& law,
                   std::span<const std::int64_t> batches = {});

/// How far the makespan (the account's window) of a replay without a change misses the recorded one, relative to the
/// latter; 0 where that is 0.
double replay_error(const PipelineRun& recorded, const PipelineRun& replayed);

}  // namespace takt
