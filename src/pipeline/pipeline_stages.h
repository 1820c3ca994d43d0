// The stages of a pipeline with their models opened, ready to execute. For the engine.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pipeline/links.h"
#include "pipeline/pipeline_spec.h"
#include "pipeline/simulated_times.h"
#include "pipeline/stage_executor.h"
#include "takt/data_parallel.h"

namespace takt {

struct OpenedStage {
  StagePorts ports;
  std::vector<Link> links;  ///< from stages that really compute; other inputs keep their generated values
  std::vector<std::unique_ptr<StageExecutor>> replicas;  ///< of an ordinary stage; empty: simulated or split
  std::unique_ptr<DataParallelStage> split;
  std::vector<SharedTensor> sample_inputs, sample_outputs;  ///< empty: simulated
  std::string runtime;
  bool is_real() const { return !runtime.empty(); }
};

/// Opens every model that does not run on a simulated device, in the order of the stages, and runs each once on what
/// the one before gave: a shape that does not fit shows before the pipeline starts. `folder`: where models of dummies
/// are written. `keep_last`: somebody wants the outputs of the last stage. Throws Error, "FILE:LINE: stages[i] …".
std::vector<OpenedStage> open_stages(const PipelineSpec& spec, const SimulatedTimes& times,
                                     const std::filesystem::path& folder, bool keep_last);

}  // namespace takt
