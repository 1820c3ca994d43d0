// A batch in few bytes (some 30 per stage): every number takes as many as it needs, and a time is told by how far it is
// from the one before it, as most follow each other closely. The same bytes in memory and in a journal.
#pragma once

#include <string>
#include <string_view>

#include "pipeline/record/batch_passage.h"

namespace takt {

/// Appends the batch to `bytes`. It has a visit for every stage.
void pack(std::string& bytes, const BatchPassage& passage);

/// Batches that pack() wrote, one after the other. Nothing in them is trusted: what a number means is for check() of
/// the run to judge.
class PackedBatches {
 public:
  /// `bytes` must outlive this. `stages`: of the pipeline.
  PackedBatches(std::string_view bytes, std::size_t stages) : rest_(bytes), stages_(stages) {}
  /// The next one into `passage`. False: there is none, or what follows is damaged.
  bool next(BatchPassage& passage);
  bool is_damaged() const { return !ok_; }

 private:
  std::int64_t number();
  int small();  ///< of a stage, replica, part or device
  Nanoseconds time();
  std::size_t count(std::size_t least_bytes);
  void read_visits(BatchPassage& passage);
  void read_step(BatchPassage& passage);
  void read_copy(BatchPassage& passage);

  std::string_view rest_;
  std::size_t stages_;
  std::int64_t last_time_ = 0;
  bool ok_ = true;
};

}  // namespace takt
