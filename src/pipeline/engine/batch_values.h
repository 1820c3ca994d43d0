// The tensors of the batches that are inside a pipeline.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "pipeline/engine/pipeline_stages.h"

namespace takt {

/// Thread-safe. Tensors are shared, never copied here, and let go when the last stage that reads them has taken them:
/// who made them may then use their memory for a later batch.
class BatchValues {
 public:
  using InputValues = StageExecutor::InputValues;
  /// `stages`, which are those of `shape`, must outlive it.
  BatchValues(const std::vector<OpenedStage>& stages, const FlowShape& shape);

  void set_source(std::int64_t batch, std::vector<SharedTensor> inputs);
  /// What the stages before this one gave the batch, or its source, and the data that it brings along. Once for each
  /// batch and stage.
  InputValues take_inputs(std::int64_t batch, int stage);
  void set_parts(std::int64_t batch, int stage, std::vector<InputValues> parts);
  InputValues part(std::int64_t batch, int stage, int part) const;
  void set_part_outputs(std::int64_t batch, int stage, int part, std::vector<SharedTensor> outputs);
  std::vector<std::vector<SharedTensor>> part_outputs(std::int64_t batch, int stage) const;
  void set_outputs(std::int64_t batch, int stage, std::vector<SharedTensor> outputs);
  /// The outputs of the stages that feed the sink, in their order; everything else of the batch is forgotten.
  std::vector<SharedTensor> deliver(std::int64_t batch);

 private:
  struct OfStage {
    std::vector<SharedTensor> outputs;
    std::vector<int> unread;  ///< by output: stages that have not taken it yet
    std::vector<InputValues> parts;
    std::vector<std::vector<SharedTensor>> part_outputs;
  };
  struct OfBatch {
    std::vector<SharedTensor> source;
    std::vector<OfStage> stages;
  };
  OfStage& at(std::int64_t batch, int stage);
  const OfStage* find(std::int64_t batch, int stage) const;

  const std::vector<OpenedStage>& stages_;
  std::vector<bool> feeds_sink_;                        ///< by stage
  std::vector<std::vector<Link>> read_;                 ///< by stage: what it reads, each output once
  std::map<std::pair<int, std::size_t>, int> readers_;  ///< by stage and output: how many stages read it
  mutable std::mutex mutex_;
  std::map<std::int64_t, OfBatch> batches_;
};

}  // namespace takt
