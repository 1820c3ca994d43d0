// A device is busy while at least one execution runs there. Each idle instant of the window has one cause, the first of
// these that applies:
//  * fill: no batch has entered a stage that would run it here; drain: the last such batch has left its stage. One rule
//    for ordinary and divided stages: a batch is theirs from the entry into the queue until it leaves.
//  * dispatch: a hosted stage has a batch waiting, a free replica here and room behind it, or a part waits for the
//    device: all is there and it has not started. A batch whose tensors are still being copied is not there. Zero by
//    construction on the virtual clock.
//  * copy: tensors of an execution on the device are copied, before it or after it.
//  * sync: a divided stage works on a batch here, and the device waits for its partition, its merge or a sibling part.
//  * blocked: a hosted stage holds a batch that is done and may not leave (the queue behind is full, or an earlier
//    batch must leave first), or one waits while the queue behind is full.
//  * starved: all its stages wait for input.
// A device that hosts several stages takes the first cause that any of them gives: work that could run here now comes
// before work that is held up, and that before no work.
//
// The run is swept once per device, from idle interval to idle interval: each condition is a number of open spans
// (open_spans.h), and an idle interval is divided wherever one of the numbers changes. The eight are measured apart,
// none is a remainder of numbers, so their sum is a check.
#include "pipeline/account/device_account.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/basics/check.h"
#include "base/basics/index.h"
#include "base/memory/large_pages.h"
#include "pipeline/account/hosted_stage.h"
#include "pipeline/account/stage_columns.h"
#include "pipeline/account/uneven.h"
#include "pipeline/record/skipped_visits.h"
#include "trace/events/intervals.h"

namespace takt {
namespace {

struct DeviceSpans {
  Intervals idle;  ///< inside the window, so far
  std::int64_t busy_until = 0, busy = 0;
  std::int64_t reached = std::numeric_limits<std::int64_t>::max();
  std::int64_t left = std::numeric_limits<std::int64_t>::min();
  DeviceAccount account;
};

class DeviceSweep {
 public:
  DeviceSweep(const PipelineRun& run, const Accounts& accounts, const std::vector<StageColumns>& columns)
      : run_(run),
        columns_(columns),
        skipped_(run),
        warmup_(accounts.warmup),
        window_{accounts.window.begin.count(), accounts.window.end.count()},
        fetched_(run.stages.size()),
        devices_(run.devices.size()) {
    for (int s = 0; s < static_cast<int>(run.stages.size()); ++s) list_hosts(s);
    for (DeviceSpans& device : devices_) device.busy_until = window_.start;
    read_executions();
    for (int s = 0; s < static_cast<int>(run.stages.size()); ++s) read_visits(s);
    for (const CopySpan& copy : run.copies) read_copy(copy);
  }

  std::vector<DeviceAccount> accounts() {
    std::vector<DeviceAccount> accounts;
    for (std::size_t d = 0; d < devices_.size(); ++d) accounts.push_back(settle(d));
    return accounts;
  }

  std::vector<ShareAccount> shares() const {
    std::vector<ShareAccount> shares;
    for (const auto& list : hosted_)
      for (const Hosted& hosted : list) shares.push_back(hosted.share);
    std::stable_sort(shares.begin(), shares.end(),
                     [](const ShareAccount& a, const ShareAccount& b) { return a.device < b.device; });
    return shares;
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
        if (is_new) {
          list.push_back({.stage = stage, .device = device});
          list.back().share.device = device, list.back().share.stage = stage;
        }
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
      if (record.what.device == Execution::host || skipped_.of(record.what)) continue;
      DeviceSpans& device = devices_[index(record.what.device)];
      add_busy(device, record.start.count(), record.end.count());
      // Batches that an end of the run cut off have no visits.
      if (record.what.batch >= static_cast<std::int64_t>(run_.schedule.batches.size()))
        see_batch(record.what.device, record.ready.count(), record.end.count());
      ++device.account.executions;
      device.account.executing += record.end - record.start;
      if (!run_.counters.empty()) add_counters(device.account, record, run_.counters[i]);
      Hosted& hosted = host_of(record.what.stage, record.what.device);
      add_share(hosted, record);
      if (run_.shape.stages[index(record.what.stage)].split())
        hosted.parts.add(record.ready.count(), record.start.count());
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

  void add_share(Hosted& hosted, const ExecutionRecord& record) const {
    ++hosted.share.executions;
    hosted.share.executing += record.end - record.start;
    if (record.what.batch < warmup_) hosted.share.warm_up += record.end - record.start;
    const std::int64_t start = std::max<std::int64_t>(record.start.count(), hosted.busy_until);
    if (record.end.count() <= start) return;
    hosted.share.busy += Nanoseconds(record.end.count() - start);
    hosted.busy_until = record.end.count();
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
    const StageColumns& own = columns_[index(stage)];
    bool all_everywhere = true;
    for (const Hosted& hosted : hosted_[index(stage)]) {
      const bool all_here = hosted.replicas == shape.replicas.size();
      all_everywhere = all_everywhere && all_here;
      if (all_here && !own.left.empty()) see_batch(hosted.device, own.entered.front(), own.left.back());
    }
    if (all_everywhere) return;
    const auto& visits = run_.schedule.visits;
    for (std::size_t i = index(stage); i < visits.size(); i += run_.stages.size()) {
      const VisitRecord& visit = visits[i];
      if (skipped_.at(static_cast<std::size_t>(visit.batch), index(stage))) continue;
      for (const std::size_t host : hosts_of_[index(stage)][index(visit.replica)]) {
        Hosted& hosted = hosted_[index(stage)][host];
        if (hosted.replicas == shape.replicas.size()) continue;
        hosted.taken.add(visit.started.count(), visit.left.count());
        hosted.held.add(visit.done.count(), visit.left.count());
        if (shape.split()) hosted.working.add(visit.started.count(), visit.done.count());
        see_batch(hosted.device, visit.entered.count(), visit.left.count());
      }
    }
  }
  void see_batch(int device, std::int64_t entered, std::int64_t left) {
    DeviceSpans& spans = devices_[index(device)];
    spans.reached = std::min(spans.reached, entered);
    spans.left = std::max(spans.left, left);
  }

  void read_copy(const CopySpan& copy) {
    const auto& hosts = position_[index(copy.stage)];
    const auto found = hosts.find(copy.device);
    Hosted* here = found == hosts.end() ? nullptr : &hosted_[index(copy.stage)][found->second];
    if (here != nullptr) here->copies.add(copy.start.count(), copy.end.count());
    if (copy.of_outputs || copy.batch >= static_cast<std::int64_t>(run_.schedule.batches.size())) return;
    const VisitRecord& visit =
        run_.schedule.visits[static_cast<std::size_t>(copy.batch) * run_.stages.size() + index(copy.stage)];
    const auto clipped = [&](Nanoseconds from, Nanoseconds to) {
      const std::int64_t start = std::clamp(copy.start, from, to).count();
      return TimeInterval{start, std::max<std::int64_t>(std::clamp(copy.end, from, to).count(), start)};
    };
    const TimeInterval queued = clipped(visit.entered, visit.started);
    fetched_[index(copy.stage)].add(queued.start, queued.end);
    if (here == nullptr) return;
    const TimeInterval inside = clipped(visit.dispatched, visit.joined);
    here->fetched.add(queued.start, queued.end);
    if (run_.shape.stages[index(copy.stage)].split()) here->fetched_parts.add(inside.start, inside.end);
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
        if (index(hosted.device) == d) stages.emplace_back(hosted, fetched_[index(hosted.stage)], run_, columns_);
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
    TAKT_CHECK(account.busy + account.copy + account.sync + account.starved + account.blocked + account.dispatch +
                   account.fill + account.drain ==
               account.wall);
    TAKT_CHECK(account.bubbles.total == account.wall - account.busy);
    return account;
  }

  /// An idle interval between fill and drain, cause by cause.
  static void divide(TimeInterval idle, std::vector<Conditions>& stages, DeviceAccount& account) {
    while (idle.start < idle.end) {
      bool could_start = false, copies = false, works = false, held_up = false;
      std::int64_t until = idle.end;
      for (Conditions& stage : stages) {
        stage.move_to(idle.start);
        could_start = could_start || stage.could_start;
        copies = copies || stage.copies;
        works = works || stage.works;
        held_up = held_up || stage.held_up;
        until = std::min(until, stage.until);
      }
      TAKT_DCHECK(until > idle.start);
      Nanoseconds& cause = could_start ? account.dispatch
                           : copies    ? account.copy
                           : works     ? account.sync
                           : held_up   ? account.blocked
                                       : account.starved;
      cause += Nanoseconds(until - idle.start);
      idle.start = until;
    }
  }

  const PipelineRun& run_;
  const std::vector<StageColumns>& columns_;
  SkippedVisits skipped_;
  std::int64_t warmup_;
  TimeInterval window_;
  std::vector<SpanEnds> fetched_;                                ///< by stage: inputs of batches in its queue
  std::vector<std::vector<Hosted>> hosted_;                      ///< by stage
  std::vector<std::unordered_map<int, std::size_t>> position_;   ///< by stage: device → position in hosted_
  std::vector<std::vector<std::vector<std::size_t>>> hosts_of_;  ///< by stage and replica, positions in hosted_
  std::vector<DeviceSpans> devices_;
};

}  // namespace

void account_devices(const PipelineRun& run, const std::vector<StageColumns>& sorted, Accounts& accounts) {
  DeviceSweep sweep(run, accounts, sorted);
  accounts.devices = sweep.accounts();
  accounts.device_stages = sweep.shares();
  compare_devices(run, accounts.device_stages);
}

}  // namespace takt
