#include "pipeline/path_index.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"

namespace takt {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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
      ends_(run.devices.size()) {
  const Schedule& schedule = run.schedule;
  for (const FlowStage& stage : run.shape.stages) {
    first_slot_.push_back(per_batch_);
    per_batch_ += stage.split() ? at(stage.parts()) + 2 : 1;
  }
  if (schedule.executions.size() >= none || schedule.visits.size() >= none ||
      schedule.batches.size() * per_batch_ >= none)
    throw Error(ErrorKind::unsupported, "pipeline run: more than 4 billion executions; record a shorter run");
  slots_.assign(schedule.batches.size() * per_batch_, none);
  before_in_replica_.assign(schedule.visits.size(), none);
  start_rank_.assign(schedule.visits.size(), none);
  device_rank_.assign(schedule.executions.size(), none);
  for (auto& list : starts_) list.reserve(schedule.batches.size());
  read_executions();
  order_ends();
  order_deliveries();
}

void PathIndex::read_executions() {
  std::vector<std::vector<std::uint32_t>> last_in_replica;
  for (const FlowStage& stage : run_.shape.stages) last_in_replica.emplace_back(stage.replicas.size(), none);
  std::vector<std::uint32_t> on_device(run_.devices.size(), 0);
  const auto& executions = run_.schedule.executions;
  for (std::uint32_t i = 0; i < executions.size(); ++i) {
    const Execution& what = executions[i].what;
    if (what.device != Execution::host) {
      device_rank_[i] = on_device[at(what.device)]++;
      if (run_.shape.devices[at(what.device)].requests) ends_[at(what.device)].push_back(i);
    }
    if (what.batch >= static_cast<std::int64_t>(run_.schedule.batches.size())) continue;
    const std::uint32_t visit = visit_of(what);
    const bool split = run_.shape.stages[at(what.stage)].split();
    std::size_t position = slot(visit);
    if (split && what.phase == FlowPhase::run) position += at(what.part) + 1;
    if (what.phase == FlowPhase::merge) position += at(run_.shape.stages[at(what.stage)].parts()) + 1;
    slots_[position] = i;
    if (split && what.phase != FlowPhase::partition) continue;
    auto& starts = starts_[at(what.stage)];
    start_rank_[visit] = static_cast<std::uint32_t>(starts.size());
    starts.push_back(visit);
    before_in_replica_[visit] = std::exchange(last_in_replica[at(what.stage)][at(what.replica)], visit);
  }
}

void PathIndex::order_ends() {
  const auto& executions = run_.schedule.executions;
  for (auto& list : ends_)
    sort_unless_sorted(list, [&](std::uint32_t a, std::uint32_t b) { return executions[a].end < executions[b].end; });
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
  return static_cast<std::uint32_t>(static_cast<std::size_t>(what.batch) * stages_ + at(what.stage));
}

std::uint32_t PathIndex::last_execution(std::uint32_t visit) const {
  const FlowStage& stage = run_.shape.stages[visit % stages_];
  return slots_[slot(visit) + (stage.split() ? at(stage.parts()) + 1 : 0)];
}

std::uint32_t PathIndex::longest_part(std::uint32_t visit) const {
  const FlowStage& stage = run_.shape.stages[visit % stages_];
  std::uint32_t longest = none;
  for (std::size_t p = 1; p <= at(stage.parts()); ++p) {
    const std::uint32_t part = slots_[slot(visit) + p];
    if (part == none) continue;
    if (longest == none || run_.schedule.executions[part].end > run_.schedule.executions[longest].end) longest = part;
  }
  return longest;
}

std::uint32_t PathIndex::before_in_stage(std::uint32_t visit) const {
  const std::uint32_t rank = start_rank_[visit];
  return rank == none || rank == 0 ? none : starts_[visit % stages_][rank - 1];
}

std::uint32_t PathIndex::made_room(int stage, Nanoseconds time, std::size_t back) {
  const auto& starts = starts_[at(stage)];
  const std::size_t first = at(run_.shape.stages[at(stage)].queue) + back, entered = entered_by(stage, time);
  return entered <= first || entered - 1 - first >= starts.size() ? none : starts[entered - 1 - first];
}

/// The walk goes back in time, so the answer is a few entries before the last one.
std::size_t PathIndex::entered_by(int stage, Nanoseconds time) {
  const std::vector<std::int64_t>& entries = columns_[at(stage)].entered;
  std::size_t& count = entered_[at(stage)];
  while (count > 0 && entries[count - 1] > time.count()) --count;
  while (count < entries.size() && entries[count] <= time.count()) ++count;
  return count;
}

std::uint32_t PathIndex::gave_request(std::uint32_t execution) const {
  const int device = run_.schedule.executions[execution].what.device;
  if (device == Execution::host) return none;
  const auto requests = run_.shape.devices[at(device)].requests;
  const std::size_t rank = device_rank_[execution];
  return !requests || rank < at(*requests) ? none : ends_[at(device)][rank - at(*requests)];
}

std::uint32_t PathIndex::let_in(Nanoseconds time, std::size_t back) {
  const auto in_flight = run_.shape.source.in_flight;
  const std::size_t entered = entered_by(0, time);
  if (!in_flight || entered <= back || entered - 1 - back < static_cast<std::size_t>(*in_flight)) return none;
  return deliveries_[entered - 1 - back - static_cast<std::size_t>(*in_flight)];
}

}  // namespace takt
