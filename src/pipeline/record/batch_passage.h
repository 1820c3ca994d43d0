// One batch on its way through a pipeline, and where it goes when it has left: a run that is recorded batch by batch
// holds only those that are inside, however many there will be.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/record/pipeline_run.h"

namespace takt {

/// All that happened to one batch. It is complete when the batch was delivered.
struct BatchPassage {
  struct Step {
    std::int64_t number = 0;  ///< among the executions of the run, in the order in which they were decided on
    ExecutionRecord record;
    ExecutionCounters counters;
  };
  std::int64_t batch = 0;
  BatchRecord times;
  std::vector<VisitRecord> visits;  ///< by stage
  std::vector<Step> steps;          ///< by number
  std::vector<CopySpan> copies;     ///< in the order in which they were told
};

/// How many batches at the beginning steady-state figures leave out: what was asked for, otherwise a twentieth of all,
/// 1 to 50, and as many as a closed source lets in at once, but half of all at most; always fewer than there are.
inline std::int64_t warmup_batches(std::optional<std::int64_t> asked, const FlowSource& source, std::int64_t batches) {
  std::int64_t usual = std::clamp<std::int64_t>(batches / 20, 1, 50);
  if (!source.open) usual = std::max(usual, std::min(source.in_flight.value_or(0), batches / 2));
  return std::min(asked.value_or(usual), std::max<std::int64_t>(batches - 1, 0));
}

/// Where the batches of one run go as they are delivered. The calls come one at a time, in this order.
class BatchSink {
 public:
  virtual ~BatchSink() = default;
  /// Before the clock starts: all of the run that is known by then, and the warm-up batches that were asked for.
  /// `planned` must outlive end(). Throws Error where the sink cannot take anything.
  virtual void open(const PipelineRun& planned, std::optional<std::int64_t> warmup) = 0;
  /// The run begins; the base of its times, as in PipelineRun.
  virtual void start(Nanoseconds base_time) = 0;
  /// A batch was delivered. Called in the middle of what is measured: it must not wait for anything.
  virtual void take(const BatchPassage& batch) = 0;
  /// Why what was taken cannot be kept any longer; nullopt: it can.
  virtual std::optional<std::string> failure() const { return std::nullopt; }
  /// No more batches come. Fills schedule, copies and counters of `run`, which says already how it ended, from the
  /// batches before the first that was not delivered; what could not be kept is its failure.
  virtual void end(PipelineRun& run) = 0;
};

}  // namespace takt
