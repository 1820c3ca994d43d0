#include "pipeline/engine/batch_values.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace takt {

BatchValues::BatchValues(const std::vector<OpenedStage>& stages, const FlowShape& shape)
    : stages_(stages), read_(stages.size()) {
  for (const auto& behind : ways_of(shape).behind) feeds_sink_.push_back(behind.empty());
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (const Link& link : stages[s].links) {
      const auto same = [&](const Link& other) { return other.from == link.from && other.output == link.output; };
      if (std::any_of(read_[s].begin(), read_[s].end(), same)) continue;
      read_[s].push_back(link);
      ++readers_[{link.from, link.output}];
    }
}

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

BatchValues::InputValues BatchValues::take_inputs(std::int64_t batch, int stage) {
  const std::lock_guard lock(mutex_);
  InputValues values;
  if (stage == 0) {
    if (const auto found = batches_.find(batch); found != batches_.end()) {
      const auto source = std::exchange(found->second.source, {});
      for (std::size_t i = 0; i < source.size(); ++i)
        if (source[i]) values.emplace_back(i, source[i]);
    }
  }
  for (const auto& turns : stages_[static_cast<std::size_t>(stage)].turns)
    values.emplace_back(turns.input, turns.values[static_cast<std::size_t>(batch) % turns.values.size()]);
  const auto& links = stages_[static_cast<std::size_t>(stage)].links;
  for (const auto& link : links)
    if (const OfStage* from = find(batch, link.from); from && link.output < from->outputs.size())
      values.emplace_back(link.input, from->outputs[link.output]);
  for (const auto& link : read_[static_cast<std::size_t>(stage)])
    if (OfStage& from = at(batch, link.from); link.output < from.outputs.size() && --from.unread[link.output] == 0)
      from.outputs[link.output].reset();
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
  of_stage.unread.assign(of_stage.outputs.size(), 0);
  if (feeds_sink_[static_cast<std::size_t>(stage)]) return;
  for (std::size_t o = 0; o < of_stage.outputs.size(); ++o) {
    const auto found = readers_.find({stage, o});
    if (found == readers_.end())
      of_stage.outputs[o].reset();
    else
      of_stage.unread[o] = found->second;
  }
}

std::vector<SharedTensor> BatchValues::deliver(std::int64_t batch) {
  const std::lock_guard lock(mutex_);
  const auto found = batches_.find(batch);
  if (found == batches_.end()) return {};
  std::vector<SharedTensor> outputs;
  for (std::size_t s = 0; s < found->second.stages.size(); ++s) {
    if (!feeds_sink_[s]) continue;
    auto& last = found->second.stages[s].outputs;
    outputs.insert(outputs.end(), std::make_move_iterator(last.begin()), std::make_move_iterator(last.end()));
  }
  batches_.erase(found);
  return outputs;
}

}  // namespace takt
