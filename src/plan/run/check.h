// Whether a plan computes what the model says: a fast plan that is wrong is no plan.
#pragma once

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/inputs/tensor_distance.h"
#include "pipeline/spec/pipeline_spec.h"
#include "plan/run/planned_model.h"

namespace takt {

/// Values of tensors by their names.
using NamedValues = std::map<std::string, SharedTensor>;
/// By number of the stage, the outputs of a batch.
using StageOutputs = std::vector<std::vector<SharedTensor>>;

/// All stages opened, each run once on what those before gave it: the first batch. Then the batches of `inputs` (by the
/// names of inputs; what one does not name is as it was in the first batch), each stage in turn, through the executors
/// that streams of batches go through. Throws as PlannedModel::check().
std::vector<StageOutputs> batches_run(const PipelineSpec& spec, const std::vector<NamedValues>& inputs,
                                      const std::atomic<bool>* stop);

/// What outputs may differ by.
struct AllowedDeviation {
  double least = 0;                             ///< of numbers; what has to be the same exactly may not differ at all
  std::map<std::string, double> by_rounding{};  ///< more, of outputs of which more is left of a rounding
  std::set<std::string> untold{};               ///< outputs of which nothing can be said but that they have numbers
};

/// How far these outputs, found by their names, are from what is expected of them. `numbers` then speak of the output
/// that is furthest beyond what it may differ by, of all that were added to them. Both have all that is named.
void add_deviation(BlockNumbers& numbers, const std::vector<SharedTensor>& outputs,
                   const std::vector<std::string>& names, const NamedValues& expected, const AllowedDeviation& allowed,
                   Integers integers);

/// Whether every unit of the plan really computes.
bool computes(const Plan& plan, const std::map<std::string, PlanUnit>& units);

}  // namespace takt
