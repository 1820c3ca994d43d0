// Which stages a batch did not pass, of a run that a program reported itself.
#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/record/pipeline_run.h"

namespace takt {

class SkippedVisits {
 public:
  explicit SkippedVisits(const PipelineRun& run)
      : stages_(run.stages.size()), batches_(static_cast<std::int64_t>(run.schedule.batches.size())) {
    if (!run.logged || run.logged->skipped.empty()) return;
    visits_.resize(run.schedule.visits.size());
    for (const std::size_t visit : run.logged->skipped) visits_[visit] = true;
  }

  bool any() const { return !visits_.empty(); }
  bool at(std::size_t batch, std::size_t stage) const { return any() && visits_[batch * stages_ + stage]; }
  /// Of an execution that only stands for the visit.
  bool of(const Execution& what) const {
    return any() && what.batch < batches_ &&
           at(static_cast<std::size_t>(what.batch), static_cast<std::size_t>(what.stage));
  }

 private:
  std::size_t stages_;
  std::int64_t batches_;
  std::vector<bool> visits_;
};

}  // namespace takt
