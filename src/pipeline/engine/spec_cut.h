// Some stages of a pipeline by themselves: what measures a stage alone, or beside another.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "pipeline/record/pipeline_run.h"
#include "pipeline/spec/pipeline_spec.h"

namespace takt {

/// The pipeline of these stages alone (numbers, in this order), none feeding another: the source is always ready and
/// every stage has one replica. The same stage may be there twice; the second is named "NAME 2".
PipelineSpec cut(const PipelineSpec& spec, std::span<const int> stages);

/// Something that does nothing but press on the resources of a simulated pipeline, as often as it can.
struct SimulatedLoad {
  Nanoseconds time{};                         ///< that one turn takes where nothing slows it
  std::vector<double> pressure, sensitivity;  ///< by resource, in the order of PipelineSpec::resources; 0 to 1
};

/// cut(), and beside the stages a stage for each load, on the device of waits: any number run there at once, without
/// noise.
PipelineSpec cut_beside(const PipelineSpec& spec, std::span<const int> stages, std::span<const SimulatedLoad> loads);

/// The same pipeline whose stages keep, as `given`, what earlier ones gave them, so that a cut feeds its models values
/// of the right shape and range. Opens every model that does not run on a simulated device and runs it once. Throws
/// Error as run_pipeline() does before the first batch, and where opening them took too long or was stopped; work may
/// be abandoned then (base/system/watched_work.h).
PipelineSpec with_given_inputs(PipelineSpec spec, const std::atomic<bool>* stop = nullptr);

/// Bytes that the operators of each stage's model read and write for one batch, each tensor once per operator; nullopt
/// where the model is none that takt can read, or a shape is not known.
std::vector<std::optional<double>> bytes_per_batch(const PipelineSpec& spec);

/// Runs cuts of one pipeline, each with noise of its own. Not thread-safe.
class CutRunner {
 public:
  /// `spec` as with_given_inputs() gives it. On the virtual clock all its devices are simulated. `stop` as in
  /// EngineSettings; it must outlive this.
  CutRunner(PipelineSpec spec, bool virtual_clock, const std::atomic<bool>* stop = nullptr);

  /// With simulated loads beside them. Throws Error as run_pipeline() does, also for what goes wrong after the first
  /// batch. What was stopped may have no batches. In both cases work may be abandoned (base/system/watched_work.h).
  PipelineRun run(std::span<const int> stages, std::span<const SimulatedLoad> loads = {});

 private:
  PipelineSpec spec_;
  bool virtual_clock_;
  const std::atomic<bool>* stop_;
  std::uint64_t runs_ = 0;
};

}  // namespace takt
