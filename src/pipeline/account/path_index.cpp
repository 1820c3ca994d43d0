#include "pipeline/account/path_index.h"

#include <algorithm>
#include <numeric>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/memory/large_pages.h"
#include "pipeline/record/skipped_visits.h"

namespace takt {
namespace {

template <typename List, typename Before>
void sort_unless_sorted(List& list, Before before) {
  if (!std::is_sorted(list.begin(), list.end(), before)) std::stable_sort(list.begin(), list.end(), before);
}

}  // namespace

PathIndex::PathIndex(const PipelineRun& run, const std::vector<StageColumns>& sorted)
    : run_(run),
      columns_(sorted),
      stages_(run.stages.size()),
      starts_(stages_),
      entered_(stages_),
      left_(stages_),
      on_device_(run.devices.size()) {
  const Schedule& schedule = run.schedule;
  bool has_replicas = false;
  for (int s = 0; s < static_cast<int>(stages_); ++s) meets_.push_back(stages_before(run.shape, s).size() > 1);
  for (const FlowStage& stage : run.shape.stages) {
    first_slot_.push_back(per_batch_);
    per_batch_ += stage.split() ? index(stage.parts()) + 2 : 1;
    has_replicas = has_replicas || stage.replicas.size() > 1;
  }
  if (schedule.executions.size() >= none || schedule.visits.size() >= none ||
      schedule.batches.size() * per_batch_ >= none)
    throw Error(ErrorKind::unsupported, "pipeline run: more than 4 billion executions; record a shorter run");
  reserve_large(slots_, schedule.batches.size() * per_batch_);
  slots_.assign(schedule.batches.size() * per_batch_, none);
  if (has_replicas) before_in_replica_.assign(schedule.visits.size(), none);
  for (std::size_t d = 0; d < on_device_.size(); ++d)
    if (run.shape.devices[d].requests) reserve_large(on_device_[d].by_start, schedule.batches.size());
  read_executions();
  order_ends();
  order_deliveries();
}

void PathIndex::read_executions() {
  std::vector<std::vector<std::uint32_t>> last_in_replica;
  for (const FlowStage& stage : run_.shape.stages) last_in_replica.emplace_back(stage.replicas.size(), none);
  const SkippedVisits skipped(run_);
  const auto& executions = run_.schedule.executions;
  for (std::uint32_t i = 0; i < executions.size(); ++i) {
    const Execution& what = executions[i].what;
    if (skipped.of(what)) continue;
    if (what.device != Execution::host && run_.shape.devices[index(what.device)].requests) add_on_device(i);
    if (what.batch >= static_cast<std::int64_t>(run_.schedule.batches.size())) continue;
    const std::uint32_t visit = visit_of(what);
    const bool split = run_.shape.stages[index(what.stage)].split();
    std::size_t position = static_cast<std::size_t>(what.batch) * per_batch_ + first_slot_[index(what.stage)];
    if (split && what.phase == FlowPhase::run) position += index(what.part) + 1;
    if (what.phase == FlowPhase::merge) position += index(run_.shape.stages[index(what.stage)].parts()) + 1;
    slots_[position] = i;
    if (split && what.phase != FlowPhase::partition) continue;
    add_start(what.stage, visit);
    if (!before_in_replica_.empty())
      before_in_replica_[visit] = std::exchange(last_in_replica[index(what.stage)][index(what.replica)], visit);
  }
}

void PathIndex::add_on_device(std::uint32_t i) {
  const ExecutionRecord& record = run_.schedule.executions[i];
  OnDevice& device = on_device_[index(record.what.device)];
  device.by_start.push_back(i);
  device.ends_in_order = device.ends_in_order && record.end >= device.reached;
  device.reached = record.end;
}

void PathIndex::add_start(int stage, std::uint32_t visit) {
  Starts& starts = starts_[index(stage)];
  const std::size_t batch = visit / stages_;
  if (starts.by_batch && batch != starts.count) {
    starts.visits.reserve(run_.schedule.batches.size());
    starts.rank.assign(run_.schedule.batches.size(), none);
    for (std::uint32_t b = 0; b < starts.count; ++b) {
      starts.visits.push_back(started(stage, b));
      starts.rank[b] = b;
    }
    starts.by_batch = false;
  }
  if (!starts.by_batch) {
    starts.visits.push_back(visit);
    starts.rank[batch] = starts.count;
  }
  ++starts.count;
}

void PathIndex::order_ends() {
  const auto& executions = run_.schedule.executions;
  for (OnDevice& device : on_device_) {
    if (device.ends_in_order) continue;
    device.by_end = device.by_start;
    std::stable_sort(device.by_end.begin(), device.by_end.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return executions[a].end < executions[b].end; });
  }
}

void PathIndex::order_deliveries() {
  const Schedule& schedule = run_.schedule;
  if (!run_.shape.source.in_flight) return;
  deliveries_.resize(schedule.batches.size());
  std::iota(deliveries_.begin(), deliveries_.end(), 0U);
  sort_unless_sorted(deliveries_, [&](std::uint32_t a, std::uint32_t b) {
    return schedule.batches[a].delivered < schedule.batches[b].delivered;
  });
}

std::size_t PathIndex::slot(std::uint32_t visit) const {
  return visit / stages_ * per_batch_ + first_slot_[visit % stages_];
}

std::uint32_t PathIndex::visit_of(const Execution& what) const {
  return static_cast<std::uint32_t>(static_cast<std::size_t>(what.batch) * stages_ + index(what.stage));
}

std::uint32_t PathIndex::last_execution(std::uint32_t visit) const {
  const FlowStage& stage = run_.shape.stages[visit % stages_];
  return slots_[slot(visit) + (stage.split() ? index(stage.parts()) + 1 : 0)];
}

std::uint32_t PathIndex::longest_part(std::uint32_t visit) const {
  const FlowStage& stage = run_.shape.stages[visit % stages_];
  std::uint32_t longest = none;
  for (std::size_t p = 1; p <= index(stage.parts()); ++p) {
    const std::uint32_t part = slots_[slot(visit) + p];
    if (part == none) continue;
    if (longest == none || run_.schedule.executions[part].end > run_.schedule.executions[longest].end) longest = part;
  }
  return longest;
}

std::uint32_t PathIndex::rank_of(std::uint32_t visit) const {
  const Starts& starts = starts_[visit % stages_];
  const auto batch = static_cast<std::uint32_t>(visit / stages_);
  if (!starts.by_batch) return starts.rank[batch];
  return batch < starts.count ? batch : none;
}

std::uint32_t PathIndex::started(int stage, std::size_t rank) const {
  const Starts& starts = starts_[index(stage)];
  return starts.by_batch ? static_cast<std::uint32_t>(rank * stages_ + index(stage)) : starts.visits[rank];
}

std::uint32_t PathIndex::before_in_stage(std::uint32_t visit) const {
  const std::uint32_t rank = rank_of(visit);
  return rank == none || rank == 0 ? none : started(static_cast<int>(visit % stages_), rank - 1);
}

std::uint32_t PathIndex::before_in_replica(std::uint32_t visit) const {
  return before_in_replica_.empty() ? before_in_stage(visit) : before_in_replica_[visit];
}

std::uint32_t PathIndex::made_room(int from, int stage, Nanoseconds time, std::size_t back) {
  const std::size_t first = index(run_.shape.stages[index(stage)].queue) + back;
  const std::size_t entered = entered_by(from, stage, time);
  if (entered <= first || entered - 1 - first >= starts_[index(stage)].count) return none;
  return started(stage, entered - 1 - first);
}

/// The walk goes back in time, so the answer is a few entries before the last one. Where several stages meet, a batch
/// is in the queue from one of them as soon as it has left that.
std::size_t PathIndex::entered_by(int from, int stage, Nanoseconds time) {
  const bool meets = meets_[index(stage)];
  const std::vector<std::int64_t>& entries = meets ? columns_[index(from)].left : columns_[index(stage)].entered;
  std::size_t& count = meets ? left_[index(from)] : entered_[index(stage)];
  while (count > 0 && entries[count - 1] > time.count()) --count;
  while (count < entries.size() && entries[count] <= time.count()) ++count;
  return count;
}

std::size_t PathIndex::rank_on(OnDevice& device, std::uint32_t execution) {
  const auto& list = device.by_start;
  for (int near = 0; near < 8 && device.last > 0 && list[device.last] > execution; ++near) --device.last;
  if (list[device.last] != execution)
    device.last = static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), execution) - list.begin());
  return device.last;
}

std::uint32_t PathIndex::gave_request(std::uint32_t execution) {
  const int number = run_.schedule.executions[execution].what.device;
  if (number == Execution::host) return none;
  const auto requests = run_.shape.devices[index(number)].requests;
  if (!requests) return none;
  OnDevice& device = on_device_[index(number)];
  const std::size_t rank = rank_on(device, execution), allowed = index(*requests);
  if (rank < allowed) return none;
  return device.by_end.empty() ? device.by_start[rank - allowed] : device.by_end[rank - allowed];
}

std::uint32_t PathIndex::let_in(Nanoseconds time, std::size_t back) {
  const auto in_flight = run_.shape.source.in_flight;
  const std::size_t entered = entered_by(FlowStage::source, 0, time);
  if (!in_flight || entered <= back || entered - 1 - back < static_cast<std::size_t>(*in_flight)) return none;
  return deliveries_[entered - 1 - back - static_cast<std::size_t>(*in_flight)];
}

}  // namespace takt
