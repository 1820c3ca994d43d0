// A device is busy while at least one execution runs there. Each idle instant of the window has one cause, the first of
// these that applies:
//  * fill: nothing that is meant for the device has been ready yet; drain: its last batch has left. A batch of an
//    ordinary stage leaves with the stage, a part of a data-parallel one when it is done (its merge is the host's
//    work).
//  * dispatch: a hosted stage has a batch waiting, a free replica here and room behind it, or a part waits for the
//    device: all is there and it has not started. Zero by construction on the virtual clock.
//  * blocked: a hosted stage holds a batch that is done and may not leave (the queue behind is full, or an earlier
//    batch must leave first), or one waits while the queue behind is full.
//  * starved: all its stages wait for input.
// A device that hosts several stages takes the first cause that any of them gives: work that could run here now comes
// before work that is held up, and that before no work.
//
// Each condition is a set of time, found by counting begins and ends in order (level_sweep.h), and the causes are what
// set arithmetic leaves of the idle time. The six are measured apart, none is a remainder of numbers, so their sum is a
// check. Cost: a sort of nearly sorted times per condition.
#include "pipeline/device_account.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "pipeline/level_sweep.h"
#include "pipeline/spread.h"

namespace takt {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A stage as one of its devices sees it.
struct Hosted {
  int device = 0;
  std::size_t replicas = 0;  ///< that have work here
  int last_replica = -1;     ///< the last one that was counted
  SpanEnds taken;            ///< its replicas here, from start to leave
  SpanEnds held;             ///< batches that are done here and have not left
  SpanEnds parts;            ///< parts that wait for the device
};

struct DeviceSpans {
  SpanEnds busy;
  std::int64_t reached = std::numeric_limits<std::int64_t>::max();
  std::int64_t left = std::numeric_limits<std::int64_t>::min();
  DeviceAccount account;
};

class DeviceSweep {
 public:
  DeviceSweep(const PipelineRun& run, RunWindow window)
      : run_(run), window_{window.begin.count(), window.end.count()}, devices_(run.devices.size()) {
    for (int s = 0; s < static_cast<int>(run.stages.size()); ++s) list_hosts(s);
    read_executions();
    read_visits();
  }

  std::vector<DeviceAccount> accounts() {
    std::vector<Intervals> could_start(devices_.size()), held_up(devices_.size());
    // The queues of two stages at a time are enough, and of ten million batches more would be felt.
    Intervals full_behind;
    for (int s = static_cast<int>(run_.stages.size()) - 1; s >= 0; --s) {
      SpanEnds queue = queue_of(s);
      const Intervals waiting = queue.at_least(1);
      const Intervals may_start = subtract(waiting, full_behind), stuck = intersect(waiting, full_behind);
      for (Hosted& hosted : hosted_[at(s)]) {
        const std::size_t d = at(hosted.device);
        const Intervals startable = subtract(may_start, hosted.taken.at_least(hosted.replicas));
        could_start[d] = unite(could_start[d], unite(startable, hosted.parts.at_least(1)));
        held_up[d] = unite(held_up[d], unite(stuck, hosted.held.at_least(1)));
      }
      full_behind = queue.at_least(at(run_.shape.stages[at(s)].queue));
    }
    std::vector<DeviceAccount> accounts;
    for (std::size_t d = 0; d < devices_.size(); ++d) accounts.push_back(settle(d, could_start[d], held_up[d]));
    return accounts;
  }

 private:
  void list_hosts(int stage) {
    auto& list = hosted_.emplace_back();
    auto& position = position_.emplace_back();
    auto& by_replica = hosts_of_.emplace_back();
    const auto& replicas = run_.shape.stages[at(stage)].replicas;
    for (int r = 0; r < static_cast<int>(replicas.size()); ++r) {
      auto& hosts = by_replica.emplace_back();
      for (const int device : replicas[at(r)]) {
        const auto [found, is_new] = position.try_emplace(device, list.size());
        if (is_new) list.emplace_back().device = device;
        Hosted& hosted = list[found->second];
        if (hosted.last_replica == r) continue;
        hosted.last_replica = r;
        ++hosted.replicas;
        hosts.push_back(found->second);
      }
    }
  }

  void read_executions() {
    const auto& executions = run_.schedule.executions;
    for (std::size_t i = 0; i < executions.size(); ++i) {
      const ExecutionRecord& record = executions[i];
      if (record.what.device == Execution::host) continue;
      DeviceSpans& device = devices_[at(record.what.device)];
      device.busy.add(record.start.count(), record.end.count());
      device.reached = std::min<std::int64_t>(device.reached, record.ready.count());
      device.left = std::max<std::int64_t>(device.left, record.end.count());
      ++device.account.executions;
      device.account.executing += record.end - record.start;
      if (!run_.counters.empty()) add_counters(device.account, record, run_.counters[i]);
      if (run_.shape.stages[at(record.what.stage)].split())
        host_of(record.what.stage, record.what.device).parts.add(record.ready.count(), record.start.count());
    }
  }

  static void add_counters(DeviceAccount& account, const ExecutionRecord& record, const ExecutionCounters& counters) {
    if (!counters.hardware) return;
    account.hardware = account.hardware.value_or(Nanoseconds{}) + *counters.hardware;
    account.penalty = account.penalty.value_or(Nanoseconds{}) + (record.end - record.start - *counters.hardware);
  }

  Hosted& host_of(int stage, int device) { return hosted_[at(stage)][position_[at(stage)].at(device)]; }

  void read_visits() {
    for (const VisitRecord& visit : run_.schedule.visits) {
      const bool split = run_.shape.stages[at(visit.stage)].split();
      for (const std::size_t host : hosts_of_[at(visit.stage)][at(visit.replica)]) {
        Hosted& hosted = hosted_[at(visit.stage)][host];
        hosted.taken.add(visit.started.count(), visit.left.count());
        if (visit.left > visit.done) hosted.held.add(visit.done.count(), visit.left.count());
        DeviceSpans& device = devices_[at(hosted.device)];
        if (!split) device.left = std::max<std::int64_t>(device.left, visit.left.count());
      }
    }
  }

  SpanEnds queue_of(int stage) const {
    SpanEnds queue;
    const auto& visits = run_.schedule.visits;
    queue.reserve(run_.schedule.batches.size());
    for (std::size_t i = at(stage); i < visits.size(); i += run_.stages.size())
      queue.add(visits[i].entered.count(), visits[i].started.count());
    return queue;
  }

  DeviceAccount settle(std::size_t d, const Intervals& could_start, const Intervals& held_up) {
    DeviceSpans& spans = devices_[d];
    DeviceAccount& account = spans.account;
    account.name = run_.devices[d].name;
    account.runtime = run_.devices[d].runtime;
    account.wall = Nanoseconds(window_.end - window_.start);
    const Intervals busy = spans.busy.at_least(1), idle = gaps(clip(busy, window_), window_);
    account.busy = total(clip(busy, window_));
    const std::int64_t reached = std::clamp(spans.reached, window_.start, window_.end);
    const std::int64_t left = std::clamp(spans.left, reached, window_.end);
    account.fill = total(clip(idle, {window_.start, reached}));
    account.drain = total(clip(idle, {left, window_.end}));
    const Intervals between = clip(idle, {reached, left});
    const Intervals dispatch = intersect(between, could_start), rest = subtract(between, dispatch);
    account.dispatch = total(dispatch);
    account.blocked = total(intersect(rest, held_up));
    account.starved = total(subtract(rest, held_up));
    std::vector<std::int64_t> bubbles;
    for (const TimeInterval& gap : idle) bubbles.push_back(gap.end - gap.start);
    account.bubbles = describe(bubbles);
    return account;
  }

  const PipelineRun& run_;
  TimeInterval window_;
  std::vector<std::vector<Hosted>> hosted_;                      ///< by stage
  std::vector<std::unordered_map<int, std::size_t>> position_;   ///< by stage: device → position in hosted_
  std::vector<std::vector<std::vector<std::size_t>>> hosts_of_;  ///< by stage and replica, positions in hosted_
  std::vector<DeviceSpans> devices_;
};

}  // namespace

std::vector<DeviceAccount> account_devices(const PipelineRun& run, RunWindow window) {
  return DeviceSweep(run, window).accounts();
}

}  // namespace takt
