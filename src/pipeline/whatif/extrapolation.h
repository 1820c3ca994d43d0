// Where a prediction goes beyond its record: pairs of stages that overlap more, or less, than they did, while the
// record leaves open what the one does to the other.
#pragma once

#include <vector>

#include "pipeline/contention/contention_posterior.h"
#include "pipeline/record/pipeline_run.h"

namespace takt {

struct Extrapolation {
  int stage = 0, beside = 0;
  double before = 0, after = 0;  ///< mean overlap, as OverlapShare::mean
  PossibleFactor factor;         ///< what `beside` may do to `stage`
};

/// By stage, then beside. An overlap that changes by less than a tenth of the stage's time is left out, and so is a
/// slow-down that is known to a tenth.
std::vector<Extrapolation> extrapolations(const PipelineRun& recorded, const PipelineRun& predicted,
                                          const ContentionPosterior& possible);

}  // namespace takt
