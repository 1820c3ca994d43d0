#include "pipeline/engine/live_flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"

namespace takt {

LiveFlow::LiveFlow(const FlowShape& shape, std::vector<bool> simulated, ServiceTimes& times, const ContentionLaw& law,
                   BatchSink& sink)
    : flow_(shape),
      simulated_(std::move(simulated)),
      times_(times),
      sink_(sink),
      clock_(law, shape),
      under_way_(shape.stages.size()),
      book_(under_way_, flow_.shape()) {}

void LiveFlow::arrive(Nanoseconds time) {
  arrivals_.push_back(time);
  flow_.arrive();
}

void LiveFlow::stop_source() {
  flow_.close();
  flow_.drop_backlog();
  arrivals_.clear();
}

void LiveFlow::finish(const FinishedExecution& execution) {
  flow_.done(execution.what);
  VisitRecord& visited = under_way_.visit(execution.what.batch, execution.what.stage);
  ExecutionRecord& record = under_way_.execution(execution.what, execution.record);
  record.start = std::max(record.start, execution.submitted);
  const bool split = flow_.shape().stages[static_cast<std::size_t>(execution.what.stage)].split();
  if (execution.what.phase == FlowPhase::partition || !split) visited.started = visited.dispatched = record.start;
  // Completions are told in the order in which threads get here, which need not be that of their times.
  const Nanoseconds joined = visited.joined;
  book_.done(execution.what, execution.record, std::max(record.start, execution.completed));
  if (split && execution.what.phase == FlowPhase::run) visited.joined = std::max(joined, visited.joined);
  const auto& told = execution.counters;
  if (told.hardware || told.marshalling || told.bytes_moved)
    under_way_.counters(execution.what, execution.record) = told;
}

void LiveFlow::take_due(Nanoseconds now) {
  while (clock_.next() <= now.count()) {
    // The simulated device is done at this time, however late its host wakes up to see it.
    const std::int64_t due = clock_.next();
    clock_.take_done(due, [&](const InProgress& execution) {
      flow_.done(execution.what);
      book_.done(execution.what, execution.record, Nanoseconds(due));
      running_.erase(execution.record);
    });
    // What starts at this very instant has a say in who is next, so settle() looks at that.
    if (due == now.count()) return;
    clock_.settle(due);
  }
}

const std::vector<StartedExecution>& LiveFlow::settle(Nanoseconds now) {
  started_.clear();
  delivered_.clear();
  for (const FlowAction& action : flow_.settle()) {
    Nanoseconds arrived = now;
    if (action.kind == FlowActionKind::admit && flow_.shape().source.open) {
      arrived = arrivals_.front();
      arrivals_.pop_front();
    }
    book_.act(action, arrived, now);
    if (action.kind == FlowActionKind::deliver) deliver(action.what.batch);
    if (action.kind != FlowActionKind::start) continue;
    if (is_simulated(action.what))
      start_simulated(action.what, now);
    else
      started_.push_back({action.what, book_.last_record()});
  }
  clock_.settle(now.count());
  return started_;
}

void LiveFlow::deliver(std::int64_t batch) {
  delivered_.push_back(batch);
  sink_.take(under_way_.passage(batch));
  under_way_.forget(batch);
}

void LiveFlow::start_simulated(const Execution& what, Nanoseconds now) {
  const std::size_t record = book_.last_record();
  const Nanoseconds service = times_.service(what);
  // A simulated device counts the work that it does, not the time that others make it wait.
  if (what.device != Execution::host && times_.computes(what)) under_way_.counters(what, record).hardware = service;
  clock_.start(now.count(), service.count(), {what, record});
  running_.emplace_hint(running_.end(), record, std::pair(what, now));
}

std::optional<std::pair<Execution, Nanoseconds>> LiveFlow::oldest_simulated() const {
  if (running_.empty()) return std::nullopt;
  return running_.begin()->second;
}

std::optional<Nanoseconds> LiveFlow::next_due() const {
  return clock_.next() == never ? std::nullopt : std::optional(Nanoseconds(clock_.next()));
}

void run_virtually(LiveFlow& live, const std::vector<Nanoseconds>& arrivals, bool open_source,
                   std::optional<Nanoseconds> close_at) {
  std::size_t arrived = 0;
  bool closed = false;
  for (Nanoseconds now{0};;) {
    live.take_due(now);
    for (; arrived < arrivals.size() && arrivals[arrived] == now; ++arrived) live.arrive(now);
    if (!closed && ((open_source && arrived == arrivals.size()) || (close_at && now >= *close_at))) {
      live.close();
      closed = true;
    }
    live.settle(now);
    if (live.flow().finished()) return;
    auto next = live.next_due();
    if (arrived < arrivals.size()) next = next ? std::min(*next, arrivals[arrived]) : arrivals[arrived];
    if (!closed && close_at) next = next ? std::min(*next, *close_at) : *close_at;
    if (!next) throw Error(ErrorKind::runtime, "pipeline: batches remain but none can proceed; please report this");
    now = *next;
  }
}

}  // namespace takt
