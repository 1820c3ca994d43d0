// Lookups for the walk along the critical path: which record comes before which, in each place where order matters.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/account/stage_columns.h"
#include "pipeline/record/pipeline_run.h"

namespace takt {

/// Positions in Schedule::executions and Schedule::visits. `run`, which must fit its shape, and its sorted columns must
/// outlive the index. Questions about a time are cheap where it is near to that of the question before.
class PathIndex {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  /// Throws Error(unsupported) for 2^32 − 1 executions or visits and more.
  PathIndex(const PipelineRun& run, const std::vector<StageColumns>& sorted);

  /// The first execution of a visit: the run of an ordinary stage, else the partition.
  std::uint32_t first_execution(std::uint32_t visit) const { return slots_[slot(visit)]; }
  /// The last one: the run of an ordinary stage, else the merge.
  std::uint32_t last_execution(std::uint32_t visit) const;
  /// The part of a data-parallel stage that was done last.
  std::uint32_t longest_part(std::uint32_t visit) const;
  std::uint32_t visit_of(const Execution& what) const;

  /// The visit that had the same replica before.
  std::uint32_t before_in_replica(std::uint32_t visit) const;
  /// The visit that started in the same stage before.
  std::uint32_t before_in_stage(std::uint32_t visit) const;
  /// The visit whose start made room in the queue from stage `from`, or the source, to `stage` for the last batch that
  /// had entered it by `time`, or the one that started `back` places before it.
  std::uint32_t made_room(int from, int stage, Nanoseconds time, std::size_t back);
  /// The execution whose end gave `execution` a request of its device.
  std::uint32_t gave_request(std::uint32_t execution);
  /// The batch whose delivery let the last batch in that had been admitted by `time`, or the one delivered `back`
  /// places before it.
  std::uint32_t let_in(Nanoseconds time, std::size_t back);

 private:
  /// The visits of a stage in the order of their starts. Batches usually start by their numbers: then nothing is kept.
  struct Starts {
    std::uint32_t count = 0;
    bool by_batch = true;
    std::vector<std::uint32_t> visits;
    std::vector<std::uint32_t> rank;  ///< by batch; none: did not start
  };
  /// The executions of a device with bounded requests.
  struct OnDevice {
    std::vector<std::uint32_t> by_start;
    std::vector<std::uint32_t> by_end;  ///< empty: the same
    std::size_t last = 0;               ///< the last answer of rank_on()
    Nanoseconds reached = Nanoseconds::min();
    bool ends_in_order = true;
  };

  std::size_t slot(std::uint32_t visit) const;
  std::size_t entered_by(int from, int stage, Nanoseconds time);
  std::size_t rank_on(OnDevice& device, std::uint32_t execution);
  std::uint32_t rank_of(std::uint32_t visit) const;
  std::uint32_t started(int stage, std::size_t rank) const;
  void read_executions();
  void add_on_device(std::uint32_t execution);
  void add_start(int stage, std::uint32_t visit);
  void order_ends();
  void order_deliveries();

  const PipelineRun& run_;
  const std::vector<StageColumns>& columns_;
  std::size_t stages_ = 0, per_batch_ = 0;
  std::vector<std::size_t> first_slot_;           ///< by stage, among the slots of a batch
  std::vector<std::uint32_t> slots_;              ///< executions: run; or partition, parts, merge
  std::vector<std::uint32_t> before_in_replica_;  ///< by visit, where a stage has several
  std::vector<Starts> starts_;                    ///< by stage
  std::vector<bool> meets_;                       ///< by stage: several lead into it
  std::vector<std::size_t> entered_, left_;       ///< by stage: the last answers of entered_by()
  std::vector<OnDevice> on_device_;               ///< by device
  std::vector<std::uint32_t> deliveries_;         ///< batches by their delivery
};

}  // namespace takt
