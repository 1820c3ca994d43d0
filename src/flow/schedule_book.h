// Writes down what happens while a pipeline moves: one set of rules for every driver of pipeline_flow.h, wherever it
// keeps the records meanwhile. simulate.cpp keeps all of them; the engine lets those of a delivered batch go.
#pragma once

#include <cstddef>
#include <vector>

#include "base/basics/check.h"
#include "base/basics/index.h"
#include "flow/simulate.h"

namespace takt {

/// `Records` is where the records lie:
///   void admit(std::int64_t batch, const BatchRecord&)      the batch, and its visits with their batch and stage
///   BatchRecord& batch(std::int64_t)                        of one that was admitted, as below
///   VisitRecord& visit(std::int64_t batch, int stage)
///   void add(const ExecutionRecord&)                        its number is last_record() then
///   std::size_t last_record() const
///   ExecutionRecord& execution(const Execution&, std::size_t record)
/// WholeSchedule is one.
template <typename Records>
class ScheduleBook {
 public:
  /// `records` and `shape` must outlive the book.
  ScheduleBook(Records& records, const FlowShape& shape) : records_(records), shape_(shape), ways_(ways_of(shape)) {}

  /// An action of settle(), in the order given. `arrived` is read for admissions only.
  void act(const FlowAction& action, Nanoseconds arrived, Nanoseconds now) {
    const Execution& what = action.what;
    switch (action.kind) {
      case FlowActionKind::admit:
        TAKT_DCHECK(arrived <= now);
        records_.admit(what.batch, {arrived, now, {}});
        for (const int s : ways_.first) records_.visit(what.batch, s).entered = now;
        return;
      case FlowActionKind::start:
        return start(what, now);
      case FlowActionKind::leave:
        records_.visit(what.batch, what.stage).left = now;
        // Where several meet, the last one has the last word.
        for (const int next : ways_.behind[index(what.stage)]) records_.visit(what.batch, next).entered = now;
        return;
      case FlowActionKind::deliver:
        records_.visit(what.batch, what.stage).left = now;
        records_.batch(what.batch).delivered = now;
        return;
      case FlowActionKind::finish:
        return;
    }
  }

  /// An execution that was started is complete; `record` is the value of last_record() after its start.
  void done(const Execution& what, std::size_t record, Nanoseconds now) {
    ExecutionRecord& execution = records_.execution(what, record);
    TAKT_DCHECK(execution.start <= now);
    execution.end = now;
    VisitRecord& visited = records_.visit(what.batch, what.stage);
    if (what.phase == FlowPhase::partition) visited.dispatched = now;
    if (what.phase == FlowPhase::run) visited.joined = now;
    // In a data-parallel stage the merge comes last and has the last word.
    visited.done = now;
  }

  std::size_t last_record() const { return records_.last_record(); }

 private:
  void start(const Execution& what, Nanoseconds now) {
    VisitRecord& visited = records_.visit(what.batch, what.stage);
    const bool split = shape_.stages[index(what.stage)].split();
    Nanoseconds ready = visited.entered;
    if (what.phase == FlowPhase::merge) ready = visited.joined;
    if (what.phase == FlowPhase::run && split) ready = visited.dispatched;
    if (what.phase == FlowPhase::partition || !split) {
      visited.replica = what.replica;
      visited.started = visited.dispatched = now;
    }
    records_.add({what, ready, now, {}});
  }

  Records& records_;
  const FlowShape& shape_;
  FlowWays ways_;
};

/// All of them in a Schedule, to the end.
class WholeSchedule {
 public:
  /// `schedule` must outlive this.
  WholeSchedule(Schedule& schedule, std::size_t stages) : schedule_(schedule), stages_(stages) {}

  void admit(std::int64_t batch, const BatchRecord& times) {
    TAKT_DCHECK(batch == static_cast<std::int64_t>(schedule_.batches.size()));
    schedule_.batches.push_back(times);
    for (std::size_t s = 0; s < stages_; ++s) {
      VisitRecord& next = schedule_.visits.emplace_back();
      next.batch = batch;
      next.stage = static_cast<int>(s);
    }
  }
  BatchRecord& batch(std::int64_t batch) { return schedule_.batches[index(batch)]; }
  VisitRecord& visit(std::int64_t batch, int stage) { return schedule_.visits[index(batch) * stages_ + index(stage)]; }
  void add(const ExecutionRecord& record) { schedule_.executions.push_back(record); }
  std::size_t last_record() const { return schedule_.executions.size() - 1; }
  ExecutionRecord& execution(const Execution&, std::size_t record) { return schedule_.executions[record]; }

 private:
  Schedule& schedule_;
  std::size_t stages_;
};

}  // namespace takt
