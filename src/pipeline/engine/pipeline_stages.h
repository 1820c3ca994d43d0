// The stages of a pipeline with their models opened, ready to execute. For the engine.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/system/watched_work.h"
#include "pipeline/engine/batch_data.h"
#include "pipeline/spec/pipeline_spec.h"
#include "pipeline/stages/links.h"
#include "pipeline/stages/simulated_times.h"
#include "pipeline/stages/stage_executor.h"
#include "takt/data_parallel.h"

namespace takt {

struct OpenedStage {
  StagePorts ports;
  std::vector<Link> links;        ///< from stages that really compute; other inputs keep their generated values
  std::vector<InputTurns> turns;  ///< of inputs with data of their own
  bool sizes_vary = false;        ///< from batch to batch, as its own data or what it gets from another stage
  std::vector<std::unique_ptr<StageExecutor>> replicas;  ///< of an ordinary stage; empty: simulated or split
  std::unique_ptr<DataParallelStage> split;
  std::vector<SharedTensor> sample_inputs, sample_outputs;  ///< empty: simulated
  std::vector<std::string> runtimes;  ///< of each device, as devices_of() has them; empty: takt's clock keeps its times
  bool is_real() const { return !runtimes.empty(); }
};

/// Opens every model that does not run on a simulated device, in the order of the stages, and runs each once on what
/// the one before gave: a shape that does not fit shows before the pipeline starts. `folder`: where models of dummies
/// are written. `keep_last`: somebody wants the outputs of the stages that feed the sink. Throws Error, "FILE:LINE:
/// stages[i] …".
std::vector<OpenedStage> open_stages(const PipelineSpec& spec, const SimulatedTimes& times,
                                     const std::filesystem::path& folder, bool keep_last);

struct WatchedStages {
  WatchedEnd end;
  std::vector<OpenedStage> stages;  ///< none unless it came to its end
};

/// The same, but no step of it (reading a model, opening it, each execution on trial) may take longer than the
/// pipeline's timeout, and when `stop` (may be null) becomes true it ends.
WatchedStages open_stages_watched(const PipelineSpec& spec, const SimulatedTimes& times,
                                  const std::filesystem::path& folder, bool keep_last, const std::atomic<bool>* stop);

/// One sentence about an opening that did not come to its end.
std::string unopened_reason(const PipelineSpec& spec, const WatchedEnd& end);

}  // namespace takt
