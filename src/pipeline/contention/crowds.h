// What ran beside the executions of a recorded run, and for how long: all that a record tells about who slows whom
// down.
#pragma once

#include <cstddef>
#include <vector>

#include "flow/contention.h"
#include "pipeline/record/pipeline_run.h"

namespace takt {

/// What can run beside an execution of one stage at a moment.
struct Crowd {
  std::vector<int> others;     ///< by stage: executions that run, the one that suffers left out
  std::vector<double> counts;  ///< by stage: ContentionState::counted_share()
  double known_slowdown = 1;   ///< by the law that is known
};

/// A stretch of an execution, in which the same ran beside it.
struct CrowdedTime {
  std::size_t crowd = 0;  ///< of the stage's
  double ns = 0;
};

struct CrowdedExecution {
  int group = 0;  ///< executions of one part on one device
  std::vector<CrowdedTime> times;
  std::size_t at_end = 0;  ///< the last crowd before it ended
  double duration_ns = 0;
};

struct StageCrowds {
  std::vector<Crowd> crowds;  ///< different ones
  std::vector<CrowdedExecution> executions;
  int groups = 0;
};

/// By stage, of its first `most` executions after the warm-up, between fill and drain, that took any time.
std::vector<StageCrowds> crowds_of(const PipelineRun& run, const ContentionLaw& known, std::size_t most);

}  // namespace takt
