#include "flow/pipeline_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/basics/check.h"
#include "base/basics/error.h"

namespace takt {
namespace {

FlowShape checked(FlowShape shape) {
  check(shape);
  return shape;
}

}  // namespace

PipelineFlow::PipelineFlow(FlowShape shape) : shape_(checked(std::move(shape))) {
  const int stages = static_cast<int>(shape_.stages.size());
  devices_.resize(shape_.devices.size());
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    devices_[d].requests = shape_.devices[d].requests.value_or(std::numeric_limits<int>::max());
    devices_[d].stages.resize(stages);
  }
  may_leave_.resize(stages);
  may_start_.resize(stages);
  may_dispatch_.resize(static_cast<int>(devices_.size()));
  stages_.reserve(shape_.stages.size());
  for (int s = 0; s < stages; ++s) add_stage(shape_.stages[index(s)], s);
  connect();
}

void PipelineFlow::connect() {
  for (int s = 0; s < static_cast<int>(stages_.size()); ++s) {
    Stage& stage = stages_[index(s)];
    stage.before = stages_before(shape_, s);
    if (stage.before.empty()) first_.push_back(s);
    if (stage.before.size() > 1) stage.come.resize(stage.before.size());
    for (std::size_t way = 0; way < stage.before.size(); ++way)
      stages_[index(stage.before[way])].behind.push_back({s, way});
  }
  for (Stage& stage : stages_) {
    stage.last = stage.behind.empty();
    if (stage.last) ++ways_out_;
    if (stage.behind.size() == 1 && !stages_[index(stage.behind.front().stage)].meets())
      stage.next = stage.behind.front().stage;
  }
}

void PipelineFlow::add_stage(const FlowStage& shape, int number) {
  Stage stage;
  stage.first_replica = static_cast<int>(replicas_.size());
  stage.parts = shape.parts();
  stage.replicas = static_cast<int>(shape.replicas.size());
  stage.ordered = shape.ordered;
  stage.split = shape.split();
  stage.room = shape.queue;
  stage.free.resize(static_cast<int>(shape.replicas.size()));
  stage.device = shape.replicas.front().front();
  stage.one_device = !stage.split;
  for (std::size_t r = 0; r < shape.replicas.size(); ++r) {
    stage.free.insert(static_cast<int>(r));
    Replica replica;
    replica.stage = number;
    replica.first_part = static_cast<int>(parts_.size());
    replicas_.push_back(replica);
    for (const int device : shape.replicas[r]) {
      parts_.push_back({device, PartState::idle});
      if (stage.split) continue;
      devices_[index(device)].stages.insert(number);
      stage.one_device = stage.one_device && device == stage.device;
    }
  }
  stages_.push_back(std::move(stage));
}

void PipelineFlow::arrive(std::int64_t count) {
  if (closed_ || count <= 0) return;
  const std::int64_t most = shape_.source.batches.value_or(std::numeric_limits<std::int64_t>::max());
  arrived_ += std::min(count, most - arrived_);
}

void PipelineFlow::close() { closed_ = true; }

std::int64_t PipelineFlow::backlog() const { return shape_.source.open ? arrived_ - admitted_ : 0; }

PipelineFlow::Replica& PipelineFlow::replica_of(const Execution& what) {
  if (what.stage >= 0 && index(what.stage) < stages_.size() && what.replica >= 0 && what.part >= 0) {
    const Stage& stage = stages_[index(what.stage)];
    if (what.replica < stage.replicas && what.part < stage.parts) {
      Replica& replica = replicas_[index(stage.first_replica + what.replica)];
      const auto state = parts_[index(replica.first_part + what.part)].state;
      if (replica.batch == what.batch && replica.phase == what.phase && state == PartState::running) return replica;
    }
  }
  throw Error(
      ErrorKind::runtime,
      fmt::format("flow: batch {} does not execute part {} in replica {} of stage {}; report an execution once, "
                  "after it was started",
                  what.batch, what.part, what.replica, what.stage));
}

void PipelineFlow::done(const Execution& execution) {
  Replica& replica = replica_of(execution);
  Part& part = parts_[index(replica.first_part + execution.part)];
  part.state = PartState::idle;
  if (execution.phase == FlowPhase::partition) return dispatch_parts(execution, replica);
  if (execution.phase == FlowPhase::run) release_device(part.device);
  if (--replica.open > 0) return;
  Stage& stage = stages_[index(execution.stage)];
  if (stage.split && execution.phase == FlowPhase::run) {
    merges_.push_back({execution.batch, execution.stage, execution.replica, 0, Execution::host, FlowPhase::merge});
  } else {
    batch_done(stage, replica);
  }
}

void PipelineFlow::release_device(int number) {
  Device& device = devices_[index(number)];
  // A device that was not full kept nobody waiting.
  TAKT_DCHECK(device.running > 0 && device.running <= device.requests);
  if (device.running-- == device.requests) {
    may_start_.insert(device.stages);
    if (!device.waiting.empty()) may_dispatch_.insert(number);
  }
}

void PipelineFlow::dispatch_parts(const Execution& partition, Replica& replica) {
  replica.phase = FlowPhase::run;
  replica.open = stages_[index(partition.stage)].parts;
  for (int p = 0; p < replica.open; ++p) {
    Part& part = parts_[index(replica.first_part + p)];
    part.state = PartState::waiting;
    devices_[index(part.device)].waiting.push_in_order({partition.batch, p, partition.stage, partition.replica});
    may_dispatch_.insert(part.device);
  }
}

void PipelineFlow::batch_done(Stage& stage, Replica& replica) {
  replica.done = true;
  ++stage.done;
  may_leave_.insert(replica.stage);
}

// Built in its place: the processor stalls when it copies what was just written in smaller pieces.
Execution& PipelineFlow::say(FlowActionKind kind, std::int64_t batch, int stage, int replica) {
  FlowAction& action = actions_.emplace_back();
  action.kind = kind;
  action.what.batch = batch;
  action.what.stage = stage;
  action.what.replica = replica;
  return action.what;
}

const std::vector<FlowAction>& PipelineFlow::settle() {
  actions_.clear();
  if (!merges_.empty()) start_merges();
  do {
    if (!may_leave_.empty()) leave_all();
    if (source_has_room()) admit();
  } while ((!may_start_.empty() || !may_dispatch_.empty()) && start_lowest());
  if (admitted_ == delivered_) finish_if_empty();
  return actions_;
}

// No rule depends on when a merge starts; sorted, so that the order of the driver's reports does not show.
void PipelineFlow::start_merges() {
  std::sort(merges_.begin(), merges_.end(), [](const Execution& a, const Execution& b) { return a.batch < b.batch; });
  for (const auto& merge : merges_) {
    Replica& replica = replicas_[index(stages_[index(merge.stage)].first_replica + merge.replica)];
    replica.phase = FlowPhase::merge;
    replica.open = 1;
    parts_[index(replica.first_part)].state = PartState::running;
    actions_.push_back({FlowActionKind::start, merge});
  }
  merges_.clear();
}

void PipelineFlow::leave_all() {
  for (int s = may_leave_.highest(); s >= 0; s = may_leave_.highest()) {
    Stage& stage = stages_[index(s)];
    while (may_leave(stage)) leave(stage, s);
    may_leave_.erase(s);
  }
}

bool PipelineFlow::has_room(const Edge& edge) const {
  const Stage& stage = stages_[index(edge.stage)];
  return (stage.meets() ? stage.come[edge.way] - stage.gone : stage.queue.size()) < stage.room;
}

bool PipelineFlow::may_leave(const Stage& stage) const {
  if (stage.done == 0) return false;
  if (stage.ordered && !replicas_[index(stage.first_replica + stage.started.front())].done) return false;
  if (stage.next < 0)
    return std::all_of(stage.behind.begin(), stage.behind.end(), [&](auto& e) { return has_room(e); });
  const Stage& next = stages_[index(stage.next)];
  return next.queue.size() < next.room;
}

int PipelineFlow::lowest_done_replica(const Stage& stage) const {
  int lowest = -1;
  for (int r = 0; r < stage.replicas; ++r) {
    const Replica& replica = replicas_[index(stage.first_replica + r)];
    if (!replica.done) continue;
    if (lowest < 0 || replica.batch < replicas_[index(stage.first_replica + lowest)].batch) lowest = r;
  }
  return lowest;
}

void PipelineFlow::leave(Stage& stage, int number) {
  const int r = stage.ordered ? stage.started.front() : lowest_done_replica(stage);
  if (stage.ordered) stage.started.pop_front();
  Replica& replica = replicas_[index(stage.first_replica + r)];
  const std::int64_t batch = replica.batch;
  TAKT_DCHECK(batch >= 0 && stage.done > 0);
  replica.batch = -1;
  replica.done = false;
  --stage.done;
  stage.free.insert(r);
  may_start_.insert(number);
  const bool delivered = stage.last && is_last_way_out(batch);
  say(delivered ? FlowActionKind::deliver : FlowActionKind::leave, batch, number, r);
  if (delivered) ++delivered_;
  for (const Edge& edge : stage.behind) enter(edge, batch);
}

bool PipelineFlow::is_last_way_out(std::int64_t batch) {
  if (ways_out_ == 1) return true;
  if (++out_[batch] < ways_out_) return false;
  out_.erase(batch);
  return true;
}

// No batch overtakes another on the way to where several stages meet, so what comes there last on one way is what came
// before on all others.
void PipelineFlow::enter(const Edge& edge, std::int64_t batch) {
  Stage& stage = stages_[index(edge.stage)];
  if (stage.meets()) {
    ++stage.come[edge.way];
    const std::int64_t in_all = *std::min_element(stage.come.begin(), stage.come.end());
    if (in_all == stage.gone + stage.queue.size()) return;
  }
  stage.queue.push_in_order(batch);
  may_start_.insert(edge.stage);
}

bool PipelineFlow::source_has_one() const {
  const auto& source = shape_.source;
  if (source.open) return admitted_ < arrived_;
  return !closed_ && (!source.batches || admitted_ < *source.batches);
}

bool PipelineFlow::source_has_room() const {
  for (const int s : first_)
    if (stages_[index(s)].queue.size() >= stages_[index(s)].room) return false;
  return true;
}

void PipelineFlow::admit() {
  const std::int64_t most = shape_.source.in_flight.value_or(std::numeric_limits<std::int64_t>::max());
  while (source_has_room() && admitted_ - delivered_ < most && source_has_one()) {
    for (const int s : first_) {
      stages_[index(s)].queue.push_back(admitted_);
      may_start_.insert(s);
    }
    say(FlowActionKind::admit, admitted_++, 0, 0);
  }
}

int PipelineFlow::startable_replica(const Stage& stage) const {
  const int lowest = stage.free.next();
  if (lowest < 0 || stage.split) return lowest;
  if (stage.one_device) {
    const Device& device = devices_[index(stage.device)];
    return device.running < device.requests ? lowest : -1;
  }
  for (int r = lowest; r >= 0; r = stage.free.next(r + 1)) {
    const Device& device = devices_[index(parts_[index(replicas_[index(stage.first_replica + r)].first_part)].device)];
    if (device.running < device.requests) return r;
  }
  return -1;
}

// A stage that cannot start anything is struck off; whatever could change that puts it back on the list.
PipelineFlow::Choice PipelineFlow::lowest_batch() {
  Choice best;
  for (int s = may_start_.next(); s >= 0; s = may_start_.next(s + 1)) {
    const Stage& stage = stages_[index(s)];
    const int replica = stage.queue.empty() ? -1 : startable_replica(stage);
    if (replica < 0) {
      may_start_.erase(s);
    } else if (stage.queue.front() < best.batch) {
      best = {stage.queue.front(), s, replica};
    }
  }
  return best;
}

// The device whose first waiting part comes before batch `limit`, and before those of other devices; -1: none.
int PipelineFlow::device_of_lowest_part(std::int64_t limit) {
  int best = -1;
  for (int d = may_dispatch_.next(); d >= 0; d = may_dispatch_.next(d + 1)) {
    const Device& device = devices_[index(d)];
    if (device.waiting.empty() || device.running >= device.requests) {
      may_dispatch_.erase(d);
    } else if (best < 0 ? device.waiting.front().batch < limit
                        : device.waiting.front() < devices_[index(best)].waiting.front()) {
      best = d;
    }
  }
  return best;
}

bool PipelineFlow::start_lowest() {
  const Choice batch = lowest_batch();
  const int device = may_dispatch_.empty() ? -1 : device_of_lowest_part(batch.batch);
  if (device >= 0) {
    start_part(device);
  } else if (batch.stage >= 0) {
    start_batch(batch.batch, batch.stage, batch.replica);
  } else {
    return false;
  }
  return true;
}

void PipelineFlow::start_batch(std::int64_t batch, int number, int r) {
  Stage& stage = stages_[index(number)];
  Replica& replica = replicas_[index(stage.first_replica + r)];
  stage.queue.pop_front();
  if (stage.meets()) ++stage.gone;
  for (const int before : stage.before)
    if (stages_[index(before)].done > 0) may_leave_.insert(before);
  stage.free.erase(r);
  if (stage.queue.empty() || stage.free.empty()) may_start_.erase(number);
  if (stage.ordered) stage.started.push_back(r);
  replica.batch = batch;
  replica.open = 1;
  replica.phase = stage.split ? FlowPhase::partition : FlowPhase::run;
  Part& part = parts_[index(replica.first_part)];
  part.state = PartState::running;
  Execution& what = say(FlowActionKind::start, batch, number, r);
  what.phase = replica.phase;
  if (stage.split) return;
  what.device = part.device;
  ++devices_[index(part.device)].running;
}

void PipelineFlow::start_part(int number) {
  Device& device = devices_[index(number)];
  const WaitingPart waiting = device.waiting.front();
  device.waiting.pop_front();
  ++device.running;
  const Replica& replica = replicas_[index(stages_[index(waiting.stage)].first_replica + waiting.replica)];
  parts_[index(replica.first_part + waiting.part)].state = PartState::running;
  Execution& what = say(FlowActionKind::start, waiting.batch, waiting.stage, waiting.replica);
  what.part = waiting.part;
  what.device = number;
}

void PipelineFlow::finish_if_empty() {
  if (finished_) return;
  const auto& source = shape_.source;
  const bool complete = source.batches && (source.open ? arrived_ : admitted_) >= *source.batches;
  if ((!closed_ && !complete) || (source.open && admitted_ < arrived_)) return;
  TAKT_CHECK(admitted_ == delivered_);
  for (const Device& device : devices_) TAKT_CHECK(device.running == 0);
  finished_ = true;
  actions_.push_back({FlowActionKind::finish, {}});
}

}  // namespace takt
