// What plans are of, when they are really run: a layer of a graph neural network (planned_layer.h), or any model cut
// into pieces (planned_pieces.h).
//
// A plan becomes a pipeline of models in a folder of its own, which `takt pipeline run`, `whatif` and `interference`
// take as any other.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/pipeline_spec.h"
#include "plan/plan.h"
#include "runtime/runtime.h"

namespace takt {

/// What a unit of plans is on this machine.
struct PlanUnit {
  std::string device;                        ///< "CPU", "GPU.0", "sim:NPU"
  std::string runtime;                       ///< empty: the one that `takt run` would take
  ElementType precision = ElementType::f32;  ///< f32 or f16: what it is asked to compute in
  std::optional<int> threads{};              ///< nullopt: the runtime's own default
};

/// Where a block is found in the pipeline, by numbers of stages.
struct BlockStages {
  int first = 0, last = 0;           ///< what cuts, or the first that computes; what puts together, or the last
  std::vector<int> parts;            ///< those that compute, one per unit
  std::vector<std::string> outputs;  ///< tensors that the last stage gives and that are compared
};

struct PlanPipeline {
  std::filesystem::path file;
  std::vector<BlockStages> blocks;
};

struct BlockNumbers {
  /// By how much the block's outputs differ at most from the undivided model's in float32, as a share of the largest
  /// magnitude of the same tensor; NaN where they are no numbers or have another shape.
  double deviation = 0;
  double allowed = 0;

  bool is_right() const { return deviation <= allowed; }  ///< false for NaN
};

class PlannedModel {
 public:
  virtual ~PlannedModel() = default;

  /// Writes models, values and FOLDER/plan.yaml, each seen whole or not at all. Throws Error(io), and Error(bad_input)
  /// for a plan that is not one of this model.
  virtual PlanPipeline write(const Plan& plan, const std::filesystem::path& folder) const = 0;

  /// Runs every stage of the pipeline once, on its device, and compares. One per block; nullopt: a unit is simulated
  /// and computes nothing. Throws Error as run_pipeline() does before the first batch, and Error(runtime) where a stage
  /// does not open within the pipeline's timeout or `stop` (may be null) becomes true.
  virtual std::optional<std::vector<BlockNumbers>> check(const Plan& plan, const PlanPipeline& pipeline,
                                                         const PipelineSpec& spec,
                                                         const std::atomic<bool>* stop) const = 0;
};

}  // namespace takt
