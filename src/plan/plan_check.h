// Whether a plan computes what the model says: a fast plan that is wrong is no plan.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "pipeline/pipeline_spec.h"
#include "pipeline/pipeline_stages.h"
#include "plan/planned_model.h"

namespace takt {

/// All stages, each run once on what those before gave it. Throws as PlannedModel::check().
std::vector<OpenedStage> stages_run_once(const PipelineSpec& spec, const std::atomic<bool>* stop);

/// By how much these outputs, found by their names, differ at most from those of a model that computes the same, as
/// BlockNumbers::deviation says. Strings are not compared. Both have all that is named.
double deviation_of(const std::vector<SharedTensor>& outputs, const std::vector<std::string>& names,
                    const std::map<std::string, SharedTensor>& expected);

/// Whether every unit of the plan really computes.
bool computes(const Plan& plan, const std::map<std::string, PlanUnit>& units);

}  // namespace takt
