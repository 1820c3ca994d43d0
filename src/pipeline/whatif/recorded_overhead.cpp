#include "pipeline/whatif/recorded_overhead.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

#include "base/basics/index.h"

namespace takt {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();

/// A place that holds a bounded number of things for spans of time: when was it last full? Asked in the order of time.
class BoundedPlace {
 public:
  explicit BoundedPlace(std::size_t room) : room_(room) {}

  /// Something enters at `now` and stays until `until`. Returns the latest moment up to `now` at which there was no
  /// room; `never` if there always was.
  std::int64_t enter(std::int64_t now, std::int64_t until) {
    while (!ends_.empty() && ends_.top() <= now) {
      if (ends_.size() >= room_) full_until_ = ends_.top();
      ends_.pop();
    }
    if (ends_.size() >= room_) full_until_ = now;
    ends_.push(until);
    return full_until_;
  }

 private:
  std::size_t room_;
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ends_;
  std::int64_t full_until_ = never;
};

template <typename Before>
std::vector<std::size_t> order_of(std::size_t count, Before before) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

/// By visit: when its replica had become free, and how late it left.
struct VisitTimes {
  std::vector<std::int64_t> replica_free, late;
};

/// Replicas on different devices: whoever is first in the queue may wait for one of them while another is free.
bool alike(const FlowStage& stage) {
  return std::all_of(stage.replicas.begin(), stage.replicas.end(),
                     [&](const auto& replica) { return replica == stage.replicas.front(); });
}

/// What the visits before, in the order of their starts, tell about one stage.
struct StageBefore {
  std::vector<std::int64_t> last_left;  ///< by replica
  std::int64_t turn = never;            ///< when the last one left, of an ordered stage
  std::int64_t last_start = never;      ///< of a stage whose replicas are not alike
};

/// By visit: the number of the execution that began it. Of two that started at one instant, it tells the first.
std::vector<std::size_t> start_ranks(const FlowShape& shape, const Schedule& schedule) {
  std::vector<std::size_t> ranks(schedule.visits.size(), schedule.executions.size());
  for (std::size_t e = 0; e < schedule.executions.size(); ++e) {
    const Execution& what = schedule.executions[e].what;
    const std::size_t visit = index(what.batch) * shape.stages.size() + index(what.stage);
    if (visit < ranks.size()) ranks[visit] = std::min(ranks[visit], e);
  }
  return ranks;
}

void add_replicas(const FlowShape& shape, const Schedule& schedule, VisitTimes& times) {
  const auto& visits = schedule.visits;
  std::vector<StageBefore> stages;
  for (const auto& stage : shape.stages) stages.push_back({std::vector<std::int64_t>(stage.replicas.size(), never)});
  const auto rank = start_ranks(shape, schedule);
  const auto order = order_of(visits.size(), [&](std::size_t a, std::size_t b) {
    return visits[a].started != visits[b].started ? visits[a].started < visits[b].started : rank[a] < rank[b];
  });
  for (const std::size_t v : order) {
    const VisitRecord& visit = visits[v];
    StageBefore& before = stages[index(visit.stage)];
    auto& left = before.last_left[index(visit.replica)];
    times.replica_free[v] = std::max(left, before.last_start);
    left = visit.left.count();
    if (!alike(shape.stages[index(visit.stage)])) before.last_start = visit.started.count();
    std::int64_t may_leave = visit.done.count();
    if (shape.stages[index(visit.stage)].ordered) {
      may_leave = std::max(may_leave, before.turn);
      before.turn = std::max(before.turn, visit.left.count());
    }
    times.late[v] = std::max<std::int64_t>(0, visit.left.count() - may_leave);
  }
}

/// What was blocked was not late: between stage `from` and stage `to`, which has a queue for what comes from there.
void subtract_blocked(const FlowShape& shape, const Schedule& schedule, int from, int to, VisitTimes& times) {
  const auto& visits = schedule.visits;
  const std::size_t stages = shape.stages.size();
  const bool alone = stages_before(shape, to).size() == 1;
  const auto came = [&](std::size_t batch) {
    const std::size_t v = batch * stages;
    return (alone ? visits[v + index(to)].entered : visits[v + index(from)].left).count();
  };
  BoundedPlace queue(index(shape.stages[index(to)].queue));
  for (const std::size_t batch :
       order_of(schedule.batches.size(), [&](std::size_t a, std::size_t b) { return came(a) < came(b); })) {
    const VisitRecord& leaving = visits[batch * stages + index(from)];
    auto& late = times.late[batch * stages + index(from)];
    const std::int64_t full = queue.enter(came(batch), visits[batch * stages + index(to)].started.count());
    if (full != never) late = std::max<std::int64_t>(0, std::min(late, leaving.left.count() - full));
  }
}

void subtract_blocked(const FlowShape& shape, const Schedule& schedule, VisitTimes& times) {
  const auto behind = ways_of(shape).behind;
  for (std::size_t from = 0; from < behind.size(); ++from)
    for (const int to : behind[from]) subtract_blocked(shape, schedule, static_cast<int>(from), to, times);
}

}  // namespace

std::vector<Nanoseconds> recorded_overheads(const FlowShape& shape, const Schedule& schedule) {
  const std::size_t stages = shape.stages.size();
  VisitTimes times;
  times.replica_free.resize(schedule.visits.size());
  times.late.resize(schedule.visits.size());
  add_replicas(shape, schedule, times);
  subtract_blocked(shape, schedule, times);
  std::vector<BoundedPlace> devices;
  for (const auto& device : shape.devices)
    devices.emplace_back(device.requests ? index(*device.requests) : std::numeric_limits<std::size_t>::max());
  const auto& executions = schedule.executions;
  std::vector<Nanoseconds> overheads(executions.size());
  for (const std::size_t e : order_of(executions.size(), [&](std::size_t a, std::size_t b) {
         return executions[a].start < executions[b].start;
       })) {
    const ExecutionRecord& record = executions[e];
    const std::size_t visit = index(record.what.batch) * stages + index(record.what.stage);
    const bool known = visit < schedule.visits.size();
    const bool split = shape.stages[index(record.what.stage)].split();
    std::int64_t could = record.ready.count();
    if (known && record.what.phase == (split ? FlowPhase::partition : FlowPhase::run))
      could = std::max(could, times.replica_free[visit]);
    if (record.what.device != Execution::host)
      could = std::max(could, devices[index(record.what.device)].enter(record.start.count(), record.end.count()));
    std::int64_t overhead = std::max<std::int64_t>(0, record.start.count() - could);
    if (known && record.what.phase == (split ? FlowPhase::merge : FlowPhase::run)) overhead += times.late[visit];
    overheads[e] = Nanoseconds(overhead);
  }
  return overheads;
}

}  // namespace takt
