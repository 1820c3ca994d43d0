// The records of the batches that are inside a pipeline, for ScheduleBook: as many as are inside, however many there
// were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/basics/index.h"
#include "pipeline/record/batch_passage.h"

namespace takt {

/// Not thread-safe. Once it was as full as it gets, admitting and forgetting batches allocates nothing.
class BatchesUnderWay {
 public:
  explicit BatchesUnderWay(std::size_t stages) : stages_(stages) {}

  void admit(std::int64_t batch, const BatchRecord& times);
  BatchRecord& batch(std::int64_t batch) { return of(batch).times; }
  VisitRecord& visit(std::int64_t batch, int stage) { return of(batch).visits[index(stage)]; }
  void add(const ExecutionRecord& record);
  std::size_t last_record() const { return next_record_ - 1; }
  ExecutionRecord& execution(const Execution& what, std::size_t record) { return step(what, record).record; }
  ExecutionCounters& counters(const Execution& what, std::size_t record) { return step(what, record).counters; }
  void add_copy(const CopySpan& copy);

  const BatchPassage& passage(std::int64_t batch) { return of(batch); }
  void forget(std::int64_t batch);
  std::size_t size() const { return passages_.size(); }
  /// Bytes of everything that is held, that of forgotten batches for those to come included.
  std::size_t held_bytes() const;

 private:
  using Passages = std::map<std::int64_t, BatchPassage>;
  BatchPassage& of(std::int64_t batch);
  BatchPassage::Step& step(const Execution& what, std::size_t record);

  std::size_t stages_, next_record_ = 0;
  Passages passages_;
  std::vector<Passages::node_type> spare_;
};

}  // namespace takt
