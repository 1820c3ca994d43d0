// What part of a batch's waits a copy of its tensors took.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/record/pipeline_run.h"

namespace takt {

/// In nanoseconds, by visit (batch · stages + stage): copies of inputs between the entry into the queue and the start,
/// and of outputs between the end and the leave; several at once count once. Copies inside the stage time, as of a
/// part's input, are in neither. Both lists are empty where the run has no copies.
struct VisitCopies {
  std::vector<std::int64_t> before, after;
  std::int64_t before_of(std::size_t visit) const { return before.empty() ? 0 : before[visit]; }
  std::int64_t after_of(std::size_t visit) const { return after.empty() ? 0 : after[visit]; }
};

/// `run` fits its shape (run_check.h).
VisitCopies visit_copies(const PipelineRun& run);

}  // namespace takt
