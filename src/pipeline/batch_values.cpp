#include "pipeline/batch_values.h"

namespace takt {

BatchValues::OfStage& BatchValues::at(std::int64_t batch, int stage) {
  auto& of_batch = batches_[batch];
  if (of_batch.stages.empty()) of_batch.stages.resize(stages_.size());
  return of_batch.stages[static_cast<std::size_t>(stage)];
}

const BatchValues::OfStage* BatchValues::find(std::int64_t batch, int stage) const {
  const auto found = batches_.find(batch);
  if (found == batches_.end() || found->second.stages.empty()) return nullptr;
  return &found->second.stages[static_cast<std::size_t>(stage)];
}

void BatchValues::set_source(std::int64_t batch, std::vector<SharedTensor> inputs) {
  const std::lock_guard lock(mutex_);
  batches_[batch].source = std::move(inputs);
}

BatchValues::InputValues BatchValues::inputs(std::int64_t batch, int stage) const {
  const std::lock_guard lock(mutex_);
  InputValues values;
  if (stage == 0) {
    if (const auto found = batches_.find(batch); found != batches_.end())
      for (std::size_t i = 0; i < found->second.source.size(); ++i)
        if (found->second.source[i]) values.emplace_back(i, found->second.source[i]);
  }
  for (const auto& link : stages_[static_cast<std::size_t>(stage)].links)
    if (const OfStage* from = find(batch, link.from); from && link.output < from->outputs.size())
      values.emplace_back(link.input, from->outputs[link.output]);
  return values;
}

void BatchValues::set_parts(std::int64_t batch, int stage, std::vector<InputValues> parts) {
  const std::lock_guard lock(mutex_);
  auto& of_stage = at(batch, stage);
  of_stage.part_outputs.assign(parts.size(), {});
  of_stage.parts = std::move(parts);
}

BatchValues::InputValues BatchValues::part(std::int64_t batch, int stage, int part) const {
  const std::lock_guard lock(mutex_);
  const OfStage* of_stage = find(batch, stage);
  return of_stage ? of_stage->parts.at(static_cast<std::size_t>(part)) : InputValues{};
}

void BatchValues::set_part_outputs(std::int64_t batch, int stage, int part, std::vector<SharedTensor> outputs) {
  const std::lock_guard lock(mutex_);
  at(batch, stage).part_outputs.at(static_cast<std::size_t>(part)) = std::move(outputs);
}

std::vector<std::vector<SharedTensor>> BatchValues::part_outputs(std::int64_t batch, int stage) const {
  const std::lock_guard lock(mutex_);
  const OfStage* of_stage = find(batch, stage);
  return of_stage ? of_stage->part_outputs : std::vector<std::vector<SharedTensor>>{};
}

void BatchValues::set_outputs(std::int64_t batch, int stage, std::vector<SharedTensor> outputs) {
  const std::lock_guard lock(mutex_);
  auto& of_stage = at(batch, stage);
  of_stage.parts.clear();
  of_stage.part_outputs.clear();
  of_stage.outputs = std::move(outputs);
}

std::vector<SharedTensor> BatchValues::deliver(std::int64_t batch) {
  const std::lock_guard lock(mutex_);
  const auto found = batches_.find(batch);
  if (found == batches_.end()) return {};
  std::vector<SharedTensor> outputs;
  if (!found->second.stages.empty()) outputs = std::move(found->second.stages.back().outputs);
  batches_.erase(found);
  return outputs;
}

}  // namespace takt
