// Delivered batches kept in memory, packed: where nobody wants a journal.
#pragma once

#include <string>
#include <vector>

#include "pipeline/record/batch_passage.h"

namespace takt {

class KeptBatches final : public BatchSink {
 public:
  void open(const PipelineRun& planned, std::optional<std::int64_t> warmup) override;
  void start(Nanoseconds base_time) override;
  void take(const BatchPassage& batch) override;
  void end(PipelineRun& run) override;

 private:
  std::size_t stages_ = 0;
  std::vector<std::string> pieces_;  ///< of whole batches; no piece grows far enough to be moved
};

}  // namespace takt
