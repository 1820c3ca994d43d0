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
// The run is swept once per device, from idle interval to idle interval: each condition is a number of open spans
// (open_spans.h), and an idle interval is divided wherever one of the numbers changes. The six are measured apart, none
// is a remainder of numbers, so their sum is a check.
#include "account/device_account.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "account/open_spans.h"
#include "account/stage_columns.h"
#include "core/check.h"
#include "core/index.h"
#include "core/large_pages.h"
#include "trace/intervals.h"

namespace takt {
namespace {

/// Begins and ends, each sorted before they are asked for.
struct SpanEnds {
  std::vector<std::int64_t> starts, ends;
  void add(std::int64_t start, std::int64_t end) {
    starts.push_back(start);
    ends.push_back(end);
  }
  OpenSpans sorted() {
    sort_times(starts);
    sort_times(ends);
    return {starts, ends};
  }
};

/// A stage as one of its devices sees it.
struct Hosted {
  int stage = 0, device = 0;
  std::size_t replicas = 0;  ///< that have work here
  int last_replica = -1;     ///< the last one that was counted
  SpanEnds taken{};          ///< its replicas here, from start to leave; empty where all are here
  SpanEnds held{};           ///< batches that are done here and have not left; the same
  SpanEnds parts{};          ///< parts that wait for the device
};

struct DeviceSpans {
  Intervals idle;  ///< inside the window, so far
  std::int64_t busy_until = 0, busy = 0;
  std::int64_t reached = std::numeric_limits<std::int64_t>::max();
  std::int64_t left = std::numeric_limits<std::int64_t>::min();
  DeviceAccount account;
};

/// What holds for a hosted stage, and so for its device, at a time that only grows.
class Conditions {
 public:
  Conditions(Hosted& hosted, const PipelineRun& run, const std::vector<StageColumns>& columns)
      : replicas_(static_cast<std::ptrdiff_t>(hosted.replicas)), parts_(hosted.parts.sorted()) {
    const std::size_t s = index(hosted.stage);
    const StageColumns& own = columns[s];
    const bool all_here = hosted.replicas == run.shape.stages[s].replicas.size();
    queue_ = {own.entered, own.started};
    taken_ = all_here ? OpenSpans(own.started, own.left) : hosted.taken.sorted();
    held_ = all_here ? OpenSpans(own.done, own.left) : hosted.held.sorted();
    if (s + 1 == columns.size()) return;
    behind_ = {columns[s + 1].entered, columns[s + 1].started};
    room_behind_ = run.shape.stages[s + 1].queue;
  }

  void move_to(std::int64_t time) {
    const bool waiting = queue_.count(time) >= 1, full = behind_.count(time) >= room_behind_;
    const bool is_free = taken_.count(time) < replicas_;
    const bool part_waits = parts_.count(time) >= 1, holds = held_.count(time) >= 1;
    could_start = (waiting && !full && is_free) || part_waits;
    held_up = (waiting && full) || holds;
    until = std::min({queue_.next(), behind_.next(), taken_.next(), held_.next(), parts_.next()});
  }

  bool could_start = false, held_up = false;
  std::int64_t until = 0;  ///< they hold until then at least

 private:
  std::ptrdiff_t replicas_, room_behind_ = std::numeric_limits<std::ptrdiff_t>::max();
  OpenSpans queue_, behind_, taken_, held_, parts_;
};

class DeviceSweep {
 public:
  DeviceSweep(const PipelineRun& run, RunWindow window, const std::vector<StageColumns>& columns)
      : run_(run), columns_(columns), window_{window.begin.count(), window.end.count()}, devices_(run.devices.size()) {
    for (int s = 0; s < static_cast<int>(run.stages.size()); ++s) list_hosts(s);
    for (DeviceSpans& device : devices_) device.busy_until = window_.start;
    read_executions();
    for (int s = 0; s < static_cast<int>(run.stages.size()); ++s) read_visits(s);
  }

  std::vector<DeviceAccount> accounts() {
    std::vector<DeviceAccount> accounts;
    for (std::size_t d = 0; d < devices_.size(); ++d) accounts.push_back(settle(d));
    return accounts;
  }

 private:
  void list_hosts(int stage) {
    auto& list = hosted_.emplace_back();
    auto& position = position_.emplace_back();
    auto& by_replica = hosts_of_.emplace_back();
    const auto& replicas = run_.shape.stages[index(stage)].replicas;
    for (int r = 0; r < static_cast<int>(replicas.size()); ++r) {
      auto& hosts = by_replica.emplace_back();
      for (const int device : replicas[index(r)]) {
        const auto [found, is_new] = position.try_emplace(device, list.size());
        if (is_new) list.push_back({.stage = stage, .device = device});
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
      DeviceSpans& device = devices_[index(record.what.device)];
      add_busy(device, record.start.count(), record.end.count());
      device.reached = std::min<std::int64_t>(device.reached, record.ready.count());
      device.left = std::max<std::int64_t>(device.left, record.end.count());
      ++device.account.executions;
      device.account.executing += record.end - record.start;
      if (!run_.counters.empty()) add_counters(device.account, record, run_.counters[i]);
      if (run_.shape.stages[index(record.what.stage)].split())
        host_of(record.what.stage, record.what.device).parts.add(record.ready.count(), record.start.count());
    }
    for (DeviceSpans& device : devices_)
      if (device.busy_until < window_.end) device.idle.push_back({device.busy_until, window_.end});
  }

  /// Executions come by their starts, and none without length makes a break in idle time.
  static void add_busy(DeviceSpans& device, std::int64_t start, std::int64_t end) {
    if (end <= start || end <= device.busy_until) return;
    if (start > device.busy_until) device.idle.push_back({device.busy_until, start});
    device.busy += end - std::max(start, device.busy_until);
    device.busy_until = end;
  }

  static void add_counters(DeviceAccount& account, const ExecutionRecord& record, const ExecutionCounters& counters) {
    if (!counters.hardware) return;
    account.hardware = account.hardware.value_or(Nanoseconds{}) + *counters.hardware;
    account.penalty = account.penalty.value_or(Nanoseconds{}) + (record.end - record.start - *counters.hardware);
  }

  Hosted& host_of(int stage, int device) { return hosted_[index(stage)][position_[index(stage)].at(device)]; }

  /// Devices that see only some of the stage's replicas need their visits apart.
  void read_visits(int stage) {
    const FlowStage& shape = run_.shape.stages[index(stage)];
    bool all_everywhere = true;
    for (Hosted& hosted : hosted_[index(stage)]) {
      const bool all_here = hosted.replicas == shape.replicas.size();
      all_everywhere = all_everywhere && all_here;
      const auto& left = columns_[index(stage)].left;
      if (all_here && !shape.split() && !left.empty()) see_leave(hosted.device, left.back());
    }
    if (all_everywhere) return;
    const auto& visits = run_.schedule.visits;
    for (std::size_t i = index(stage); i < visits.size(); i += run_.stages.size()) {
      const VisitRecord& visit = visits[i];
      for (const std::size_t host : hosts_of_[index(stage)][index(visit.replica)]) {
        Hosted& hosted = hosted_[index(stage)][host];
        if (hosted.replicas == shape.replicas.size()) continue;
        hosted.taken.add(visit.started.count(), visit.left.count());
        hosted.held.add(visit.done.count(), visit.left.count());
        if (!shape.split()) see_leave(hosted.device, visit.left.count());
      }
    }
  }
  void see_leave(int device, std::int64_t left) {
    devices_[index(device)].left = std::max(devices_[index(device)].left, left);
  }

  DeviceAccount settle(std::size_t d) {
    DeviceSpans& spans = devices_[d];
    DeviceAccount& account = spans.account;
    account.name = run_.devices[d].name;
    account.runtime = run_.devices[d].runtime;
    account.wall = Nanoseconds(window_.end - window_.start);
    account.busy = Nanoseconds(spans.busy);
    const std::int64_t reached = std::clamp(spans.reached, window_.start, window_.end);
    const std::int64_t left = std::clamp(spans.left, reached, window_.end);
    std::vector<Conditions> stages;
    for (auto& list : hosted_) {
      for (Hosted& hosted : list)
        if (index(hosted.device) == d) stages.emplace_back(hosted, run_, columns_);
    }
    std::vector<std::int64_t> bubbles;
    reserve_large(bubbles, spans.idle.size());
    for (const TimeInterval& gap : spans.idle) {
      bubbles.push_back(gap.end - gap.start);
      account.fill += Nanoseconds(std::max<std::int64_t>(std::min(gap.end, reached) - gap.start, 0));
      account.drain += Nanoseconds(std::max<std::int64_t>(gap.end - std::max(gap.start, left), 0));
      divide({std::max(gap.start, reached), std::min(gap.end, left)}, stages, account);
    }
    account.bubbles = describe(bubbles);
    TAKT_CHECK(account.busy + account.starved + account.blocked + account.dispatch + account.fill + account.drain ==
               account.wall);
    TAKT_CHECK(account.bubbles.total == account.wall - account.busy);
    return account;
  }

  /// An idle interval between fill and drain, cause by cause.
  static void divide(TimeInterval idle, std::vector<Conditions>& stages, DeviceAccount& account) {
    while (idle.start < idle.end) {
      bool could_start = false, held_up = false;
      std::int64_t until = idle.end;
      for (Conditions& stage : stages) {
        stage.move_to(idle.start);
        could_start = could_start || stage.could_start;
        held_up = held_up || stage.held_up;
        until = std::min(until, stage.until);
      }
      TAKT_DCHECK(until > idle.start);
      Nanoseconds& cause = could_start ? account.dispatch : held_up ? account.blocked : account.starved;
      cause += Nanoseconds(until - idle.start);
      idle.start = until;
    }
  }

  const PipelineRun& run_;
  const std::vector<StageColumns>& columns_;
  TimeInterval window_;
  std::vector<std::vector<Hosted>> hosted_;                      ///< by stage
  std::vector<std::unordered_map<int, std::size_t>> position_;   ///< by stage: device → position in hosted_
  std::vector<std::vector<std::vector<std::size_t>>> hosts_of_;  ///< by stage and replica, positions in hosted_
  std::vector<DeviceSpans> devices_;
};

}  // namespace

std::vector<DeviceAccount> account_devices(const PipelineRun& run, RunWindow window,
                                           const std::vector<StageColumns>& sorted) {
  return DeviceSweep(run, window, sorted).accounts();
}

}  // namespace takt
