// What a user's own pipeline does, told execution by execution: becomes the same run that the engine makes, and so the
// same tables and the same trace.
//
//   PipelineProfiler profiler("mine");
//   executor.set_callback([&](StageResult result) { profiler.log_execution("infer", executor.device(), result); });
//   …
//   profiler.export_chrome_trace("pipeline_trace.json");
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "core/table.h"
#include "pipeline/data_parallel.h"
#include "pipeline/pipeline_run.h"
#include "pipeline/stage_executor.h"

namespace takt {

/// Thread-safe.
class PipelineProfiler {
 public:
  explicit PipelineProfiler(std::string name) : name_(std::move(name)) {}

  /// A batch in a stage. Stages stand in the order in which they are first named, and a batch goes through them in that
  /// order, once through each. Times are of the steady clock. Throws Error(bad_input) when `completed` is before
  /// `submitted`.
  void log_event(const std::string& stage, const std::string& device, std::int64_t batch, Nanoseconds submitted,
                 Nanoseconds completed, const ExecutionCounters& counters = {});
  /// The same of an executor's result; one that failed is left out.
  void log_execution(const std::string& stage, const std::string& device, const StageResult& result);

  /// Batches that went through all stages, numbered anew in the order of their numbers; others are left out. A batch
  /// enters a stage's queue when the stage before is done with it; what a user's program held back in between shows as
  /// waiting. Throws Error(bad_input) when a batch was in a stage twice, or in a later one before an earlier one was
  /// done with it.
  PipelineRun run() const;
  std::vector<Table> tables() const;  ///< of account(); throws as run() does
  /// Throws as run() and write_chrome_trace() do.
  void export_chrome_trace(const std::filesystem::path& file) const;

 private:
  struct Entry {
    int stage = 0, device = 0;
    std::int64_t batch = 0;
    Nanoseconds submitted{}, completed{};
    ExecutionCounters counters;
  };
  using Visits = std::vector<const Entry*>;  ///< of one batch, by stage
  std::vector<Visits> whole_batches() const;

  std::string name_;
  mutable std::mutex mutex_;
  std::vector<std::string> stages_, devices_;
  std::vector<Entry> entries_;
};

}  // namespace takt
