// Whether a plan computes what the model says: a fast plan that is wrong is no plan.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "pipeline/pipeline_spec.h"
#include "pipeline/pipeline_stages.h"
#include "plan/planned_model.h"

namespace takt {

/// All stages, each run once on what those before gave it. Throws as PlannedModel::check().
std::vector<OpenedStage> stages_run_once(const PipelineSpec& spec, const std::atomic<bool>* stop);

/// Of the outputs of a stage that has run, by name, against those of one that computed the same. Strings are not
/// compared.
double deviation_of(const OpenedStage& stage, const std::vector<std::string>& names,
                    const std::vector<HostTensor>& expected);

/// Whether all units of the plan really compute.
template <typename Units>
bool computes(const Plan& plan, const Units& units, bool (*is_simulated)(std::string_view)) {
  for (const PlanBlock& block : plan.blocks)
    for (const PlanPart& part : block.parts)
      if (is_simulated(units.at(part.unit).device)) return false;
  return true;
}

}  // namespace takt
