// The times of all visits, column by column: half of an account asks one stage for one kind of time at a time, and
// walks a tenth of the memory this way.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/record/pipeline_run.h"

namespace takt {

/// Times of one stage, in nanoseconds: indexed by batch, or each column sorted separately.
struct StageColumns {
  std::vector<std::int64_t> entered, started, done, left;
};

/// By stage; each column by batch.
std::vector<StageColumns> stage_columns(const PipelineRun& run);

/// Sorts each column, without the visits of batches that skipped the stage. O(n) where batches hardly overtake each
/// other.
void sort_columns(const PipelineRun& run, std::vector<StageColumns>& stages);

/// The same for one list of times.
void sort_times(std::vector<std::int64_t>& times);

}  // namespace takt
