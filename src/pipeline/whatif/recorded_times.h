// The service times of a recorded run, ready to be fed to simulate(): what every execution took when nothing disturbed
// it, by batch, stage and part, and changed as a what-if asks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/basics/index.h"
#include "flow/simulate.h"
#include "pipeline/record/pipeline_run.h"

namespace takt {

/// A recorded duration is divided by the slow-down that `law` says it suffered from what ran beside it: the integral of
/// 1/slow-down over its time. Overheads (recorded_overhead.h) are kept as they were and belong to the time that the
/// execution holds its replica and its device.
class RecordedTimes final : public ServiceTimes {
 public:
  /// `run` fits its shape. An execution that is missing (an interrupted run) takes the mean of its kind.
  RecordedTimes(const PipelineRun& run, const ContentionLaw& law);

  void scale(int stage, double factor) { stages_[index(stage)].factor *= factor; }
  /// A part takes fixed + share · slope; what is not known of a part's fixed cost is 0. Throws UsageError when the
  /// recorded shares are not known or `ratio` has another number of parts.
  void split(int stage, const std::vector<double>& ratio, const std::vector<double>& recorded);
  /// Batch b takes what `batches[b]` took in the record; empty: what it took itself. Numbers of recorded batches.
  void take(std::vector<std::int64_t> batches) { batches_ = std::move(batches); }
  /// Mean time of a batch in the stage when nothing disturbs it, as split() has its parts: partition + longest mean of
  /// a part + merge. `moved_to`: where all its executions go, if they do.
  double mean_ns(int stage, std::optional<int> moved_to = {}) const;
  bool ran_on(int stage, int device) const { return stages_[index(stage)].on_device.contains(device); }

  /// An execution on another device than the recorded one is scaled by the ratio of the stage's mean times there.
  Nanoseconds service(const Execution& execution) override;

 private:
  struct Recorded {
    double work = -1;  ///< ns; below 0: missing
    std::int64_t overhead = 0;
    int device = Execution::host;
  };
  struct Mean {
    double sum = 0, overhead = 0;
    std::int64_t count = 0;
    std::optional<double> work() const {
      return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
    }
  };
  struct Stage {
    std::size_t first_slot = 0, parts = 1;
    double factor = 1;
    std::vector<double> part_factor, part_offset;  ///< work · factor + offset, ns
    std::map<int, Mean> on_device;
    std::vector<Mean> by_slot;  ///< parts, partition, merge
  };

  static std::size_t slot_of(const Stage& stage, const Execution& what);
  static double part_ns(const Stage& stage, std::size_t part, double recorded);
  double moved(const Stage& stage, int from, int to) const;
  void add_counters(const PipelineRun& run);

  std::size_t source_of(std::int64_t batch) const;

  std::vector<Stage> stages_;
  std::vector<std::int64_t> batches_;
  std::size_t slots_ = 0;
  std::vector<Recorded> recorded_;                         ///< batch · slots + slot
  std::vector<std::vector<std::optional<double>>> fixed_;  ///< by stage and part: wall − hardware, where counted
};

/// By execution: its time without the slow-down of `law`, in nanoseconds.
std::vector<double> undisturbed_times(const PipelineRun& run, const ContentionLaw& law);

}  // namespace takt
