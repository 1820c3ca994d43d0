// One run of a pipeline in progress. For engine.cpp only.
//
// Who does what. LiveFlow decides what starts; it is touched only under `mutex_`. A real execution is started by the
// thread that learned that it may start, which mostly is the runtime's own thread that has just called back, so that no
// other thread has to wake up in between; tensors are copied and runtimes are called outside of the lock. The thread
// that called run() is the timer: it keeps the deadlines of simulated executions, of arrivals and of time-outs.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/engine/batch_values.h"
#include "pipeline/engine/engine.h"
#include "pipeline/engine/live_flow.h"
#include "pipeline/engine/pipeline_stages.h"
#include "pipeline/record/kept_batches.h"

namespace takt {

class EngineRun {
 public:
  /// Opens nothing: `stages` are ready. `spec`, `settings` and `times` must outlive it, unless it is abandoned.
  EngineRun(const PipelineSpec& spec, const EngineSettings& settings, SimulatedTimes& times, const FlowShape& shape,
            std::vector<OpenedStage> stages);

  /// Fills in what the run did. False: an execution never came back, and this object must live on.
  bool run(PipelineRun& result);

 private:
  void set_callbacks();
  void begin();
  void keep_time();
  bool watch(Nanoseconds now);  ///< true: the user has just asked to stop
  Nanoseconds wake_at(Nanoseconds now) const;
  void wait_until(std::unique_lock<std::mutex>& lock, Nanoseconds deadline);
  void let_in(Nanoseconds now);
  /// Tells the flow what is done, carries out what starts, and goes on while that is done at once.
  void advance(std::vector<FinishedExecution> finished);
  void deliver(const std::vector<std::int64_t>& batches);
  void carry_out(const StartedExecution& execution, std::vector<FinishedExecution>& finished);
  /// What the batch gives the stage, in the types that its model takes.
  StageExecutor::InputValues inputs_of(const Execution& what);
  void start_inference(const StartedExecution& execution, StageExecutor& executor,
                       const StageExecutor::InputValues& inputs);
  void completed(int stage, int part, bool split, StageResult result);
  /// The copy of an execution's inputs, and the one before it that gave them other types.
  TensorCopy with_fitted(TensorCopy copy, std::int64_t batch, int stage);
  void add_copy(const Execution& what, const TensorCopy& copy, bool of_outputs);
  void fail(const Execution& what, const std::string& cause);
  std::string place_of(const Execution& what) const;
  void give_up_late(Nanoseconds now);
  Nanoseconds now() const { return steady_now() - base_; }

  const PipelineSpec& spec_;
  const EngineSettings& settings_;
  FlowShape shape_;
  KeptBatches kept_;
  BatchSink& sink_;  ///< kept_, unless the settings have one
  LiveFlow live_;
  std::vector<Nanoseconds> arrivals_;
  std::size_t arrived_ = 0;
  bool closed_ = false;
  Nanoseconds base_{}, base_time_{}, settled_{};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::mutex source_mutex_, sink_mutex_;
  std::map<std::size_t, std::pair<Execution, Nanoseconds>> in_flight_;  ///< of real executions, by record
  std::map<std::tuple<std::int64_t, int, int>, std::size_t> records_;   ///< (batch, stage, part) → record
  std::map<std::pair<std::int64_t, int>, TensorCopy> fitted_;           ///< (batch, stage), until the execution is done
  int active_ = 0;                                                      ///< threads inside advance()
  std::optional<std::string> failure_;
  std::optional<Nanoseconds> interrupted_at_;
  std::vector<OpenedStage> stages_;
  BatchValues values_;
};

}  // namespace takt
