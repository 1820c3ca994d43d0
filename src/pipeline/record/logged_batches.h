// Which way batches went through the stages of a log, and which of them came to the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/record/logged_run.h"

namespace takt {

struct LoggedBatch {
  std::int64_t number = 0;  ///< as logged
  const PipelineLog::Visits* visits = nullptr;

  /// nullptr: it skipped the stage.
  const LoggedVisit* in(std::size_t stage) const {
    return stage < visits->size() && (*visits)[stage] ? &*(*visits)[stage] : nullptr;
  }
};

/// A stage from which no batch goes on is an end of the pipeline.
struct LoggedBatches {
  std::vector<std::size_t> order;      ///< the stages that delivered batches visited, as batches pass them
  std::vector<LoggedBatch> delivered;  ///< they ended in an end of the pipeline; by number
  /// They ended elsewhere, and one that left that stage later went on; the second is the position in `order`.
  std::vector<std::pair<LoggedBatch, std::size_t>> dropped;
  std::int64_t unfinished = 0;  ///< all others: they were inside when the log ended, or are in no stage
};

/// The log must outlive the result. Stages between which no batch went stand as they were named. Where stages have no
/// order that all batches follow, it is that of a batch with most stages, and only batches with as many are delivered.
LoggedBatches logged_batches(const PipelineLog& log);

}  // namespace takt
