#include "flow/schedule_book.h"

#include "core/check.h"
#include "core/index.h"

namespace takt {

ScheduleBook::ScheduleBook(Schedule& schedule, const FlowShape& shape)
    : schedule_(schedule), shape_(shape), ways_(ways_of(shape)) {}

VisitRecord& ScheduleBook::visit(std::int64_t batch, int stage) {
  return schedule_.visits[static_cast<std::size_t>(batch) * shape_.stages.size() + static_cast<std::size_t>(stage)];
}

void ScheduleBook::act(const FlowAction& action, Nanoseconds arrived, Nanoseconds now) {
  const Execution& what = action.what;
  switch (action.kind) {
    case FlowActionKind::admit:
      return admit(what.batch, arrived, now);
    case FlowActionKind::start:
      return start(what, now);
    case FlowActionKind::leave:
      visit(what.batch, what.stage).left = now;
      // Where several meet, the last one has the last word.
      for (const int next : ways_.behind[index(what.stage)]) visit(what.batch, next).entered = now;
      return;
    case FlowActionKind::deliver:
      visit(what.batch, what.stage).left = now;
      schedule_.batches[static_cast<std::size_t>(what.batch)].delivered = now;
      return;
    case FlowActionKind::finish:
      return;
  }
}

void ScheduleBook::admit(std::int64_t batch, Nanoseconds arrived, Nanoseconds now) {
  TAKT_DCHECK(batch == static_cast<std::int64_t>(schedule_.batches.size()) && arrived <= now);
  schedule_.batches.push_back({arrived, now, {}});
  for (int s = 0; s < static_cast<int>(shape_.stages.size()); ++s) {
    VisitRecord& next = schedule_.visits.emplace_back();
    next.batch = batch;
    next.stage = s;
  }
  for (const int s : ways_.first) visit(batch, s).entered = now;
}

void ScheduleBook::start(const Execution& what, Nanoseconds now) {
  VisitRecord& visited = visit(what.batch, what.stage);
  const bool split = shape_.stages[static_cast<std::size_t>(what.stage)].split();
  Nanoseconds ready = visited.entered;
  if (what.phase == FlowPhase::merge) ready = visited.joined;
  if (what.phase == FlowPhase::run && split) ready = visited.dispatched;
  if (what.phase == FlowPhase::partition || !split) {
    visited.replica = what.replica;
    visited.started = visited.dispatched = now;
  }
  schedule_.executions.push_back({what, ready, now, {}});
}

void ScheduleBook::done(const Execution& what, std::size_t record, Nanoseconds now) {
  TAKT_DCHECK(record < schedule_.executions.size() && schedule_.executions[record].start <= now);
  schedule_.executions[record].end = now;
  VisitRecord& visited = visit(what.batch, what.stage);
  if (what.phase == FlowPhase::partition) visited.dispatched = now;
  if (what.phase == FlowPhase::run) visited.joined = now;
  // In a data-parallel stage the merge comes last and has the last word.
  visited.done = now;
}

}  // namespace takt
