// A recorded pipeline run once more, with changes: the recorded service times are fed through the same rules (flow) in
// the changed shape.
//
// What happened beside an execution is taken out of its time and put back as the new situation has it: by the law of
// simulated devices, which a run knows, or by slow-downs that the run's own overlaps show beyond noise (overlap.h).
#pragma once

#include <span>
#include <vector>

#include "pipeline/change.h"
#include "pipeline/overlap.h"
#include "pipeline/pipeline_run.h"

namespace takt {

/// The run as it would be with these changes, applied in order, on the virtual clock. Its times begin with the first
/// arrival; counters are empty. Throws UsageError for a stage or device that the run does not have (naming the
/// nearest), a device on which the stage was never measured (unless its time is changed too), a split that cannot be
/// told; Error(bad_input) as simulate() does.
PipelineRun replay(const PipelineRun& run, std::span<const PipelineChange> changes);

/// The same with the law given, for many replays of one run.
PipelineRun replay(const PipelineRun& run, std::span<const PipelineChange> changes, const ContentionLaw& law);

/// The law that replay() uses: the run's own; else what its overlaps show, if the run replayed with it is as long as it
/// was (within 2 %); else none.
ContentionLaw replay_law(const PipelineRun& run, std::vector<Interference>* found = nullptr);

}  // namespace takt
