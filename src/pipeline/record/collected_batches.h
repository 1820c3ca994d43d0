// Batches that were recorded one by one, put together to a run again.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "pipeline/record/batch_passage.h"

namespace takt {

/// Batches may come in any order. The run has those before the first that did not come, its executions in the order of
/// their starts, of one start in the order in which they were decided on.
class CollectedBatches {
 public:
  explicit CollectedBatches(std::size_t stages) : stages_(stages) {}

  /// With a visit for every stage. False, and nothing was added: this batch was there already, or has no such number.
  bool add(const BatchPassage& passage);
  /// What pack() wrote. False: it is damaged, or has a batch that add() does not take.
  bool add_packed(std::string_view bytes);

  std::int64_t size() const { return static_cast<std::int64_t>(schedule_.batches.size()); }
  /// Batches that came although one before them did not, and those of shorter stretches than the longest.
  std::int64_t left_out() const { return static_cast<std::int64_t>(early_.size()) + passed_over_; }

  /// Of batches some of which are lost keeps the longest stretch that came without a gap; numbers begin at 0 again.
  /// Returns the number that its first one had.
  std::int64_t keep_longest();

  /// Fills schedule, copies and counters of `run`, and says of its stages whether their inputs were copied. Ends this
  /// object's use.
  void move_to(PipelineRun& run);

 private:
  void append(const BatchPassage& passage);
  void order_executions();

  std::size_t stages_;
  Schedule schedule_;
  std::vector<std::int64_t> numbers_;        ///< of the executions
  std::vector<ExecutionCounters> counters_;  ///< of the executions; empty as long as nobody told any
  std::vector<CopySpan> copies_;
  std::map<std::int64_t, BatchPassage> early_;  ///< that wait for one of a lower number
  std::int64_t passed_over_ = 0;                ///< that were before the longest stretch
};

}  // namespace takt
