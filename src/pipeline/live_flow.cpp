#include "pipeline/live_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"

namespace takt {

LiveFlow::LiveFlow(const FlowShape& shape, std::vector<bool> simulated, ServiceTimes& times, const ContentionLaw& law)
    : flow_(shape),
      simulated_(std::move(simulated)),
      times_(times),
      clock_(law, shape),
      book_(schedule_, flow_.shape()) {}

VisitRecord& LiveFlow::visit(const Execution& what) {
  const auto stages = flow_.shape().stages.size();
  return schedule_.visits[static_cast<std::size_t>(what.batch) * stages + static_cast<std::size_t>(what.stage)];
}

ExecutionCounters& LiveFlow::counters(std::size_t record) {
  if (counters_.size() <= record) counters_.resize(record + 1);
  return counters_[record];
}

void LiveFlow::arrive(Nanoseconds time) {
  arrivals_.push_back(time);
  flow_.arrive();
}

void LiveFlow::stop_source() {
  flow_.close();
  flow_.drop_backlog();
}

void LiveFlow::finish(const FinishedExecution& execution) {
  flow_.done(execution.what);
  VisitRecord& visited = visit(execution.what);
  ExecutionRecord& record = schedule_.executions[execution.record];
  record.start = std::max(record.start, execution.submitted);
  const bool split = flow_.shape().stages[static_cast<std::size_t>(execution.what.stage)].split();
  if (execution.what.phase == FlowPhase::partition || !split) visited.started = visited.dispatched = record.start;
  // Completions are told in the order in which threads get here, which need not be that of their times.
  const Nanoseconds joined = visited.joined;
  book_.done(execution.what, execution.record, std::max(record.start, execution.completed));
  if (split && execution.what.phase == FlowPhase::run) visited.joined = std::max(joined, visited.joined);
  visited.done = std::max(visited.done, visited.joined);
  const auto& told = execution.counters;
  if (told.hardware || told.marshalling || told.bytes_moved) counters(execution.record) = told;
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
    const bool from_list = action.kind == FlowActionKind::admit && flow_.shape().source.open;
    book_.act(action, from_list ? arrivals_[static_cast<std::size_t>(action.what.batch)] : now, now);
    if (action.kind == FlowActionKind::deliver) delivered_.push_back(action.what.batch);
    if (action.kind != FlowActionKind::start) continue;
    const std::size_t record = book_.last_record();
    if (!is_simulated(action.what)) {
      started_.push_back({action.what, record});
      continue;
    }
    const Nanoseconds service = times_.service(action.what);
    // A simulated device counts the work that it does, not the time that others make it wait.
    if (action.what.device != Execution::host && times_.computes(action.what)) counters(record).hardware = service;
    clock_.start(now.count(), service.count(), {action.what, record});
    running_.insert(running_.end(), record);
  }
  clock_.settle(now.count());
  return started_;
}

std::optional<std::pair<Execution, Nanoseconds>> LiveFlow::oldest_simulated() const {
  if (running_.empty()) return std::nullopt;
  const auto& oldest = schedule_.executions[*running_.begin()];
  return std::pair(oldest.what, oldest.start);
}

std::optional<Nanoseconds> LiveFlow::next_due() const {
  return clock_.next() == never ? std::nullopt : std::optional(Nanoseconds(clock_.next()));
}

Schedule LiveFlow::take_schedule(std::vector<ExecutionCounters>& counters) {
  auto& batches = schedule_.batches;
  // Delivered at time zero is a delivery too, so it is the flow that is asked whether all are.
  std::size_t kept = batches.size();
  if (flow_.delivered() != flow_.admitted()) {
    kept = 0;
    while (kept < batches.size() && batches[kept].delivered > Nanoseconds(0)) ++kept;
  }
  batches.resize(kept);
  schedule_.visits.resize(kept * flow_.shape().stages.size());
  counters_.resize(schedule_.executions.size());
  std::vector<std::size_t> order;
  for (std::size_t e = 0; e < schedule_.executions.size(); ++e)
    if (schedule_.executions[e].what.batch < static_cast<std::int64_t>(kept)) order.push_back(e);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return schedule_.executions[a].start < schedule_.executions[b].start;
  });
  Schedule result;
  counters.clear();
  for (const std::size_t e : order) {
    result.executions.push_back(schedule_.executions[e]);
    counters.push_back(counters_[e]);
  }
  const auto tells = [](const ExecutionCounters& c) { return c.hardware || c.marshalling || c.bytes_moved; };
  if (std::none_of(counters.begin(), counters.end(), tells)) counters.clear();
  result.visits = std::move(schedule_.visits);
  result.batches = std::move(batches);
  if (!result.batches.empty()) result.begin = result.end = result.batches.front().arrived;
  for (const auto& batch : result.batches) result.end = std::max(result.end, batch.delivered);
  return result;
}

Schedule run_virtually(LiveFlow& live, const std::vector<Nanoseconds>& arrivals, bool open_source,
                       std::optional<Nanoseconds> close_at, std::vector<ExecutionCounters>& counters) {
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
    if (live.flow().finished()) return live.take_schedule(counters);
    auto next = live.next_due();
    if (arrived < arrivals.size()) next = next ? std::min(*next, arrivals[arrived]) : arrivals[arrived];
    if (!closed && close_at) next = next ? std::min(*next, *close_at) : *close_at;
    if (!next) throw Error(ErrorKind::runtime, "pipeline: batches are left but nothing moves; report this");
    now = *next;
  }
}

}  // namespace takt
