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

#include "model/runtime/runtime.h"
#include "pipeline/spec/pipeline_spec.h"
#include "plan/estimate/plan.h"

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

/// How near a block's outputs are to what they should be.
struct BlockNumbers {
  /// By how much they differ at most from the undivided model's in float32, as distance_of() of
  /// model/inputs/tensor_distance.h says; infinite where one of the two has NaN or infinity and the other has not, or
  /// another shape.
  double deviation = 0;
  double allowed = 0;  ///< what rounding explains
  std::string what{};  ///< the worst place, as a sentence; empty where nothing differs
  std::string
      untold{};  ///< why nothing more can be said of an output than that it is not wrong; empty: of each something can

  bool is_wrong() const { return !(deviation <= allowed); }
  bool is_right() const { return untold.empty() && !is_wrong(); }
};

class PlannedModel {
 public:
  virtual ~PlannedModel() = default;

  /// Writes models, values and FOLDER/plan.yaml, each seen whole or not at all. Throws Error(io), and Error(bad_input)
  /// for a plan that is not one of this model.
  virtual PlanPipeline write(const Plan& plan, const std::filesystem::path& folder) const = 0;

  /// Runs every stage of the pipeline on its device, one batch after another of several inputs as streams do, and
  /// compares. One per block; nullopt: a unit is simulated and computes nothing. Throws Error as run_pipeline() does
  /// before the first batch, and Error(runtime) where a stage does not open within the pipeline's timeout or `stop`
  /// (may be null) becomes true.
  virtual std::optional<std::vector<BlockNumbers>> check(const Plan& plan, const PlanPipeline& pipeline,
                                                         const PipelineSpec& spec,
                                                         const std::atomic<bool>* stop) const = 0;
};

}  // namespace takt
