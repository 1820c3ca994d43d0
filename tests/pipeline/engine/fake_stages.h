// Stages of a real pipeline, with threads of their own, whose inferences do what the test says.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/engine/engine_run.h"
#include "pipeline/stages/simulated_times.h"

namespace takt {

/// One inference on the runtime's thread: nullopt when it went well, else its error. `inference` counts those of the
/// same request, so with one replica it is the number of the batch.
using FakeInference = std::function<std::optional<std::string>(std::int64_t inference)>;

/// What the requests of `stage` do; `part` 0 unless it is split.
using FakeInferences = std::function<FakeInference(int stage, int replica, int part)>;

/// With one request, which has no inputs and gives one byte.
std::unique_ptr<StageExecutor> fake_executor(FakeInference inference);

/// An engine over a pipeline whose real devices (CPU, dummy: {matmul: 8}) are fakes. Simulated devices are as ever.
class FakeEngine {
 public:
  FakeEngine(const std::string& yaml, const FakeInferences& inferences, EngineSettings settings = {});
  ~FakeEngine();  ///< waits for what is still in flight
  FakeEngine(const FakeEngine&) = delete;
  FakeEngine& operator=(const FakeEngine&) = delete;

  /// False: an execution never came back; then it must be let go before this object ends.
  bool run();

  const PipelineSpec& spec() const { return spec_; }
  PipelineRun result;

 private:
  PipelineSpec spec_;
  EngineSettings settings_;
  SimulatedTimes times_;
  std::vector<StageExecutor*> executors_;  ///< the engine's
  std::unique_ptr<EngineRun> engine_;
};

}  // namespace takt
