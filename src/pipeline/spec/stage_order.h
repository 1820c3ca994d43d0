// Which stages come after which: where a pipeline forks and meets again.
#pragma once

#include <string>
#include <vector>

#include "pipeline/spec/pipeline_spec.h"

namespace takt {

/// The place of the stage of that name, which there is.
int number_of_stage(const PipelineSpec& spec, const std::string& name);

/// By stage: the stages that a batch must have left before, in ascending order; none: the source feeds it. What `after`
/// says; else the stages that `connect` names, without those that come before another of them; else the stage above.
/// Names must be those of earlier stages, as parse_pipeline() checks.
std::vector<std::vector<int>> order_of(const PipelineSpec& spec);

/// Whether every batch of stage `s` has left stage `earlier`, by the `order` of order_of().
bool comes_after(const std::vector<std::vector<int>>& order, int s, int earlier);

/// The stages that give stage `s` its values: those right before it, and instead of one that hands on what it is given
/// those that give to it. Ascending, each once.
std::vector<int> givers_of(const PipelineSpec& spec, const std::vector<std::vector<int>>& order, int s);

}  // namespace takt
