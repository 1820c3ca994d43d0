#include "pipeline/engine/batches_under_way.h"

#include <algorithm>
#include <utility>

#include "base/basics/check.h"

namespace takt {
namespace {

std::size_t held_by(const BatchPassage& passage) {
  return sizeof passage + passage.visits.capacity() * sizeof(VisitRecord) +
         passage.steps.capacity() * sizeof(BatchPassage::Step) + passage.copies.capacity() * sizeof(CopySpan);
}

}  // namespace

void BatchesUnderWay::admit(std::int64_t batch, const BatchRecord& times) {
  if (spare_.empty()) {
    passages_[batch];
  } else {
    spare_.back().key() = batch;
    passages_.insert(std::move(spare_.back()));
    spare_.pop_back();
  }
  BatchPassage& passage = of(batch);
  passage.batch = batch;
  passage.times = times;
  passage.visits.assign(stages_, {});
  passage.steps.clear();
  passage.copies.clear();
  for (std::size_t s = 0; s < stages_; ++s) {
    passage.visits[s].batch = batch;
    passage.visits[s].stage = static_cast<int>(s);
  }
}

BatchPassage& BatchesUnderWay::of(std::int64_t batch) {
  const auto found = passages_.find(batch);
  TAKT_CHECK(found != passages_.end());
  return found->second;
}

BatchPassage::Step& BatchesUnderWay::step(const Execution& what, std::size_t record) {
  auto& steps = of(what.batch).steps;
  const auto found = std::find_if(steps.begin(), steps.end(),
                                  [&](const auto& step) { return step.number == static_cast<std::int64_t>(record); });
  TAKT_CHECK(found != steps.end());
  return *found;
}

void BatchesUnderWay::add(const ExecutionRecord& record) {
  of(record.what.batch).steps.push_back({static_cast<std::int64_t>(next_record_++), record, {}});
}

void BatchesUnderWay::add_copy(const CopySpan& copy) { of(copy.batch).copies.push_back(copy); }

void BatchesUnderWay::forget(std::int64_t batch) { spare_.push_back(passages_.extract(batch)); }

std::size_t BatchesUnderWay::held_bytes() const {
  std::size_t bytes = spare_.capacity() * sizeof(Passages::node_type);
  for (const auto& passage : passages_) bytes += held_by(passage.second);
  for (const auto& node : spare_) bytes += held_by(node.mapped());
  return bytes;
}

}  // namespace takt
