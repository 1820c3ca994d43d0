#include "pipeline/record/visit_columns.h"

#include <array>
#include <limits>

#include "base/basics/index.h"

namespace takt {
namespace {

/// What columns a visit has, in an order in which each follows from executions and from columns in front of it.
struct VisitColumn {
  const char* name;
  Nanoseconds VisitRecord::*time;
};
constexpr std::array<VisitColumn, 6> visit_columns{{{"left", &VisitRecord::left},
                                                    {"entered", &VisitRecord::entered},
                                                    {"started", &VisitRecord::started},
                                                    {"dispatched", &VisitRecord::dispatched},
                                                    {"joined", &VisitRecord::joined},
                                                    {"done", &VisitRecord::done}}};

struct BatchColumn {
  const char* name;
  Nanoseconds BatchRecord::*time;
};
constexpr std::array<BatchColumn, 3> batch_columns{
    {{"admitted", &BatchRecord::admitted}, {"arrived", &BatchRecord::arrived}, {"delivered", &BatchRecord::delivered}}};

/// What executions say of their visit: started, dispatched, joined, done and the replica. Zeros without executions.
std::vector<VisitRecord> visits_of_executions(const Schedule& schedule, const FlowShape& shape, std::size_t batches) {
  const std::size_t stages = shape.stages.size();
  std::vector<VisitRecord> visits(batches * stages);
  for (std::size_t i = 0; i < visits.size(); ++i) {
    visits[i].batch = static_cast<std::int64_t>(i / stages);
    visits[i].stage = static_cast<int>(i % stages);
  }
  for (const ExecutionRecord& record : schedule.executions) {
    if (record.what.batch < 0 || index(record.what.batch) >= batches) continue;
    VisitRecord& visit = visits[index(record.what.batch) * stages + index(record.what.stage)];
    const bool split = shape.stages[index(record.what.stage)].split();
    visit.replica = record.what.replica;
    if (!split || record.what.phase == FlowPhase::partition) visit.started = record.start;
    if (!split) visit.dispatched = record.start;
    if (record.what.phase == FlowPhase::partition) visit.dispatched = record.end;
    if (record.what.phase == FlowPhase::run) visit.joined = std::max(visit.joined, record.end);
    if (!split || record.what.phase == FlowPhase::merge) visit.done = record.end;
  }
  return visits;
}

/// When a batch had left all of `stages`, of which there is at least one.
Nanoseconds last_left(const VisitRecord* batch, const std::vector<int>& stages) {
  Nanoseconds last = batch[stages.front()].left;
  for (const int s : stages) last = std::max(last, batch[s].left);
  return last;
}

/// What follows for a whole column from what is known already; `left` follows from nothing.
void derive(const char* column, std::vector<VisitRecord>& visits, const std::vector<BatchRecord>& batches,
            const FlowWays& ways) {
  if (std::string_view(column) != "entered") return;
  const std::size_t stages = ways.before.size();
  for (std::size_t b = 0; b < batches.size(); ++b) {
    VisitRecord* const batch = visits.data() + b * stages;
    for (std::size_t s = 0; s < stages; ++s)
      batch[s].entered = ways.before[s].empty() ? batches[b].admitted : last_left(batch, ways.before[s]);
  }
}

void derive(const char* column, std::vector<BatchRecord>& batches, const std::vector<VisitRecord>& visits,
            const FlowWays& ways) {
  for (std::size_t b = 0; b < batches.size(); ++b) {
    if (std::string_view(column) == "arrived") batches[b].arrived = batches[b].admitted;
    if (std::string_view(column) == "delivered")
      batches[b].delivered = last_left(visits.data() + b * ways.before.size(), ways.last);
  }
}

/// Fills or compares, column by column: `visit(name, records, member)` is told each one after what follows was filled
/// in. One order of derivation for both directions, or they would not agree.
template <typename Take>
bool each_column(std::vector<VisitRecord>& visits, std::vector<BatchRecord>& batches, const FlowShape& shape,
                 Take take) {
  const FlowWays ways = ways_of(shape);
  if (!take(batch_columns[0].name, batches, batch_columns[0].time, false)) return false;
  for (const VisitColumn& column : visit_columns) {
    derive(column.name, visits, batches, ways);
    if (!take(column.name, visits, column.time, column.time != &VisitRecord::left)) return false;
  }
  for (std::size_t c = 1; c < batch_columns.size(); ++c) {
    derive(batch_columns[c].name, batches, visits, ways);
    if (!take(batch_columns[c].name, batches, batch_columns[c].time, true)) return false;
  }
  return true;
}

template <typename Record>
const std::vector<Record>& same_kind(const Schedule& schedule);
template <>
const std::vector<VisitRecord>& same_kind(const Schedule& schedule) {
  return schedule.visits;
}
template <>
const std::vector<BatchRecord>& same_kind(const Schedule& schedule) {
  return schedule.batches;
}

}  // namespace

ScheduleColumns columns_of(const Schedule& schedule, const FlowShape& shape) {
  ScheduleColumns columns;
  auto visits = visits_of_executions(schedule, shape, schedule.batches.size());
  std::vector<BatchRecord> batches(schedule.batches.size());
  each_column(
      visits, batches, shape,
      [&]<typename Record>(const char* name, std::vector<Record>& derived, Nanoseconds Record::*time, bool follows) {
        const std::vector<Record>& real = same_kind<Record>(schedule);
        std::vector<std::int64_t> column;
        column.reserve(real.size());
        for (std::size_t i = 0; i < real.size(); ++i) {
          follows = follows && derived[i].*time == real[i].*time;
          derived[i].*time = real[i].*time;
          column.push_back((real[i].*time).count());
        }
        if (!follows) columns.emplace(name, std::move(column));
        return true;
      });
  bool same_replicas = true;
  std::vector<std::int64_t> replicas;
  for (std::size_t i = 0; i < visits.size(); ++i) {
    same_replicas = same_replicas && visits[i].replica == schedule.visits[i].replica;
    replicas.push_back(schedule.visits[i].replica);
  }
  if (!same_replicas) columns.emplace("replica", std::move(replicas));
  return columns;
}

bool restore(Schedule& schedule, const FlowShape& shape, const ScheduleColumns& columns) {
  const auto admitted = columns.find("admitted");
  if (admitted == columns.end()) return false;
  const std::size_t batches = admitted->second.size();
  schedule.batches.resize(batches);
  schedule.visits = visits_of_executions(schedule, shape, batches);
  const bool complete = each_column(
      schedule.visits, schedule.batches, shape,
      [&]<typename Record>(const char* name, std::vector<Record>& records, Nanoseconds Record::*time, bool follows) {
        const auto column = columns.find(name);
        if (column == columns.end()) return follows;
        if (column->second.size() != records.size()) return false;
        for (std::size_t i = 0; i < records.size(); ++i) records[i].*time = Nanoseconds(column->second[i]);
        return true;
      });
  const auto replicas = columns.find("replica");
  if (!complete || replicas == columns.end()) return complete;
  if (replicas->second.size() != schedule.visits.size()) return false;
  for (std::size_t i = 0; i < schedule.visits.size(); ++i) {
    const std::int64_t replica = replicas->second[i];
    if (replica < 0 || replica >= std::numeric_limits<int>::max()) return false;
    schedule.visits[i].replica = static_cast<int>(replica);
  }
  return true;
}

}  // namespace takt
