// Runs a pipeline for real: inference sessions on their runtimes' threads, simulated devices on a timer, the rules of
// flow between them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/runtime/runtime.h"
#include "pipeline/record/batch_passage.h"
#include "pipeline/spec/pipeline_spec.h"

namespace takt {

struct EngineSettings {
  /// Where batches go as they are delivered (a RunJournal), so that the run holds only those that are inside, whatever
  /// their number; nullptr: they are kept in memory. Must outlive run_pipeline(). A sink that fails ends the run as a
  /// failed stage does.
  BatchSink* sink = nullptr;
  /// True: no new batches; those inside are finished and everything is kept. While stages are opened: that ends.
  const std::atomic<bool>* stop = nullptr;
  /// Values of the first stage's inputs for a batch, in the order of its ports; empty: generated once, the same for
  /// all. Called from the engine's threads, one call at a time. What it throws ends the run as a failed stage does.
  std::function<std::vector<SharedTensor>(std::int64_t batch)> make_inputs;
  /// Outputs of the last stage, or of all that feed the sink, where they compute any. Called from the engine's threads,
  /// one call at a time. What it throws ends the run as a failed stage does.
  std::function<void(std::int64_t batch, const std::vector<SharedTensor>& outputs)> take_outputs;
  /// From time to time, on the calling thread; must not throw: batches delivered, of how many (0: not known).
  std::function<void(std::int64_t delivered, std::int64_t total)> progress;
};

struct PipelineOutcome {
  PipelineRun run;
  std::vector<std::string> notes;  ///< what a reader of the figures has to know, one sentence each
  /// False: the run ended while its stages were opened, because a step of that took too long (`run.failure`) or because
  /// of `stop` (`run.interrupted` alone, and the last note says at what). There are no batches then.
  bool began = true;
  /// An execution never came back: its thread still runs and what it uses is kept for as long as the process lives. A
  /// program should end with end_suddenly() then, as the runtime's own clean-up may wait for that thread.
  bool abandoned = false;
};

/// Blocks until all batches were delivered, the duration has passed, or it failed. Everything that can be wrong with
/// models, devices and shapes is found before the first batch and thrown as Error. What goes wrong later ends the run:
/// `run.failure` names stage and batch, and the batches delivered until then are there. An execution that takes longer
/// than `spec.timeout` is such a failure; so is a step of opening a stage.
PipelineOutcome run_pipeline(const PipelineSpec& spec, const EngineSettings& settings = {});

}  // namespace takt
