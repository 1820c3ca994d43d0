// What simulated devices share, as their descriptions say it, in the place where a pipeline keeps what its stages
// share.
#pragma once

#include "pipeline/spec/pipeline_spec.h"
#include "pipeline/stages/simulated_times.h"

namespace takt {

/// The pipeline with the resources that descriptions of its devices name added to its own: each stage presses on them
/// and suffers as the operators of its model do, a split one by the time that its parts take. Where the pipeline itself
/// says something of a stage and a resource, that holds. The same again of what it gave. Throws Error(bad_input) where
/// two descriptions, or one and the pipeline, name another law for one resource.
PipelineSpec with_shared_resources(PipelineSpec spec, const SimulatedTimes& times);

/// The same pipeline with a given time in the place of each model of an undivided simulated stage: as long on average,
/// and nothing has to be read any more. For who runs it often.
PipelineSpec with_given_times(PipelineSpec spec, const SimulatedTimes& times);

}  // namespace takt
