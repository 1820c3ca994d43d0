#include "pipeline/account/stage_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

#include "base/basics/check.h"
#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/memory/large_pages.h"
#include "pipeline/account/uneven.h"
#include "pipeline/record/skipped_visits.h"

namespace takt {
namespace {

/// "CPU", "sim:GPU+sim:NPU": each device once, in the order in which replicas and parts name them.
std::string device_list(const PipelineRun& run, const FlowStage& stage) {
  std::vector<bool> seen(run.devices.size());
  std::string text;
  for (const auto& replica : stage.replicas) {
    for (const int device : replica) {
      if (seen[index(device)]) continue;
      seen[index(device)] = true;
      text += (text.empty() ? "" : "+") + run.devices[index(device)].name;
    }
  }
  return text;
}

void add(std::optional<Nanoseconds>& sum, Nanoseconds value) { sum = sum.value_or(Nanoseconds{}) + value; }

void add_moved(StageAccount& stage, const ExecutionCounters& counters) {
  if (counters.bytes_moved) stage.bytes_moved = stage.bytes_moved.value_or(0) + *counters.bytes_moved;
}

void add_counters(StageAccount& stage, const ExecutionRecord& record, const ExecutionCounters& counters) {
  if (counters.marshalling) add(stage.marshalling, *counters.marshalling), ++stage.marshalled;
  if (!counters.hardware) return;
  ++stage.counted;
  add(stage.hardware, *counters.hardware);
  add(stage.penalty, record.end - record.start - *counters.hardware);
}

/// Of a stage whose tensors takt copied, every execution has a marshalling time, if only its own copies.
void add_copies(const PipelineRun& run, const SkippedVisits& skipped, std::int64_t warmup,
                std::vector<StageAccount>& stages) {
  if (run.copies.empty()) return;
  std::vector<bool> copied(stages.size());
  for (const CopySpan& copy : run.copies) {
    if (copy.batch < warmup) continue;
    add(stages[index(copy.stage)].marshalling, copy.end - copy.start);
    copied[index(copy.stage)] = true;
  }
  for (std::size_t s = 0; s < stages.size(); ++s)
    if (copied[s]) stages[s].marshalled = 0;
  for (const ExecutionRecord& record : run.schedule.executions) {
    const auto s = index(record.what.stage);
    if (copied[s] && record.what.phase == FlowPhase::run && record.what.batch >= warmup && !skipped.of(record.what))
      ++stages[s].marshalled;
  }
}

/// Executions beside which nothing else ran, by stage: what a stage takes when it has the machine for itself.
/// Executions come in the order of their starts; one that encloses others ends last, so the latest end so far decides.
/// Returns the run's window, which the same walk tells.
RunWindow compare_with_alone(const PipelineRun& run, const SkippedVisits& skipped, std::int64_t warmup,
                             std::vector<StageAccount>& stages) {
  struct Sums {
    std::int64_t alone = 0, all = 0;
    Nanoseconds alone_time{}, time{};
  };
  std::vector<Sums> sums(stages.size());
  const auto& executions = run.schedule.executions;
  if (executions.empty()) return {};
  Nanoseconds reached = Nanoseconds::min();
  for (std::size_t i = 0; i < executions.size(); ++i) {
    const ExecutionRecord& record = executions[i];
    const bool followed = i + 1 < executions.size() && executions[i + 1].start < record.end;
    if (record.what.phase == FlowPhase::run && record.what.batch >= warmup && !skipped.of(record.what)) {
      Sums& sum = sums[index(record.what.stage)];
      ++sum.all;
      sum.time += record.end - record.start;
      if (reached <= record.start && !followed) ++sum.alone, sum.alone_time += record.end - record.start;
    }
    reached = std::max(reached, record.end);
  }
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (sums[s].alone == 0) continue;
    stages[s].alone = Duration(sums[s].alone_time) / static_cast<double>(sums[s].alone);
    stages[s].slowed = Duration(sums[s].time) / static_cast<double>(sums[s].all) - *stages[s].alone;
  }
  return {executions.front().start, reached};
}

void describe_visits(const std::vector<StageColumns>& columns, const VisitCopies& copies, const SkippedVisits& skipped,
                     std::int64_t warmup, std::vector<StageAccount>& stages) {
  const std::size_t count = columns.front().started.size(), first = static_cast<std::size_t>(warmup);
  std::vector<std::int64_t> values, passed;
  reserve_large(values, count);
  /// Of the values, those of batches after the warm-up that did not skip the stage.
  const auto described = [&](std::size_t s) {
    if (!skipped.any()) return describe(std::span(values).subspan(first));
    passed.clear();
    for (std::size_t b = first; b < count; ++b)
      if (!skipped.at(b, s)) passed.push_back(values[b]);
    return describe(passed);
  };
  const auto spread = [&](const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to, std::size_t s) {
    values.resize(count);
    std::transform(to.begin(), to.end(), from.begin(), values.begin(), std::minus<>());
    return described(s);
  };
  /// `copied`, by visit, taken from the last values.
  const auto without = [&](const std::vector<std::int64_t>& copied, std::size_t s) {
    for (std::size_t b = 0; b < count; ++b) values[b] -= copied[b * stages.size() + s];
    return described(s);
  };
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const StageColumns& times = columns[s];
    StageAccount& stage = stages[s];
    for (std::size_t b = 0; b < count; ++b) stage.batches += skipped.at(b, s) ? 0 : 1;
    stage.queue_wait = spread(times.entered, times.started, s);
    if (!copies.before.empty()) stage.queue_wait = without(copies.before, s);
    stage.blocked = spread(times.done, times.left, s);
    if (!copies.after.empty()) {
      stage.blocked = without(copies.after, s);
      for (std::size_t b = 0; b < count; ++b)
        values[b] = copies.before[b * stages.size() + s] + copies.after[b * stages.size() + s];
      stage.copy = described(s);
    }
    stage.time = spread(times.started, times.done, s);
    stage.drift = drift_of(skipped.any() ? std::span<const std::int64_t>(passed) : std::span(values).subspan(first));
    stage.total = Nanoseconds(std::accumulate(values.begin(), values.end(), std::int64_t{0}));
    if (warmup > 0 && !skipped.at(0, s)) stage.first = Nanoseconds(values.front());
  }
}

void add_visit(BatchAccount& batch, const StageColumns& times, std::size_t b, std::int64_t before, std::int64_t after) {
  batch.queue_wait += Nanoseconds(times.started[b] - times.entered[b] - before);
  batch.copy += Nanoseconds(before + after);
  batch.working += Nanoseconds(times.done[b] - times.started[b]);
  batch.blocked += Nanoseconds(times.left[b] - times.done[b] - after);
}

/// Back along the way that took longest: from the stage that the batch left last, each time to the one before it that
/// it left last.
void add_longest_way(const PipelineRun& run, const std::vector<StageColumns>& columns, const VisitCopies& copies,
                     const FlowWays& ways, std::size_t b, BatchAccount& batch) {
  for (std::vector<int> next = ways.last; !next.empty();) {
    const int s = *std::max_element(
        next.begin(), next.end(), [&](int x, int y) { return columns[index(x)].left[b] < columns[index(y)].left[b]; });
    const std::size_t visit = b * run.stages.size() + index(s);
    add_visit(batch, columns[index(s)], b, copies.before_of(visit), copies.after_of(visit));
    next = ways.before[index(s)];
  }
}

void account_ways(const PipelineRun& run, const std::vector<StageColumns>& columns, const VisitCopies& copies,
                  Accounts& accounts) {
  const FlowWays ways = ways_of(run.shape);
  for (std::size_t b = 0; b < accounts.batches.size(); ++b)
    add_longest_way(run, columns, copies, ways, b, accounts.batches[b]);
}

/// Some batches at a time, so that they stay in the cache while each stage adds its own.
void account_batches(const PipelineRun& run, const std::vector<StageColumns>& columns, const VisitCopies& copies,
                     Accounts& accounts) {
  constexpr std::size_t block = 256;
  const std::size_t stages = run.stages.size(), count = run.schedule.batches.size();
  const bool chain = is_chain(run.shape);
  reserve_large(accounts.batches, count);
  reserve_large(accounts.stage_times, count * stages);
  accounts.stage_times.resize(count * stages);
  for (const BatchRecord& record : run.schedule.batches)
    accounts.batches.push_back({record.arrived, record.admitted, record.delivered, {}, {}, {}, {}, {}, 0});
  for (std::size_t first = 0; first < count; first += block) {
    for (std::size_t s = 0; s < stages; ++s) {
      const StageColumns& times = columns[s];
      for (std::size_t b = first; b < std::min(first + block, count); ++b) {
        BatchAccount& batch = accounts.batches[b];
        const Nanoseconds time(times.done[b] - times.started[b]);
        if (chain) add_visit(batch, times, b, copies.before_of(b * stages + s), copies.after_of(b * stages + s));
        if (s == 0 || time > batch.cycle) batch.cycle = time, batch.slowest = static_cast<int>(s);
        accounts.stage_times[b * stages + s] = time;
      }
    }
  }
  if (!chain) account_ways(run, columns, copies, accounts);
}

/// The waits and times of the batches are those of the stages: both were added up from the same columns.
bool batches_agree_with_stages(const Accounts& accounts) {
  Nanoseconds left{};
  const std::size_t stages = accounts.stages.size(), first = static_cast<std::size_t>(accounts.warmup);
  for (std::size_t b = first; b < accounts.batches.size(); ++b) {
    const BatchAccount& batch = accounts.batches[b];
    left += batch.queue_wait + batch.copy + batch.blocked;
    for (std::size_t s = 0; s < stages; ++s) left += accounts.stage_times[b * stages + s];
  }
  for (const StageAccount& stage : accounts.stages)
    left -= stage.queue_wait.total + stage.copy.total + stage.time.total + stage.blocked.total;
  return left.count() == 0;
}

/// Where the parts and the merge of each batch of the data-parallel stages are.
class PartBook {
 public:
  explicit PartBook(const PipelineRun& run) : run_(run) {
    for (const FlowStage& stage : run.shape.stages) {
      first_.push_back(per_batch_);
      if (stage.split()) per_batch_ += index(stage.parts()) + 1;
    }
    records_.assign(per_batch_ * run.schedule.batches.size(), nullptr);
    if (per_batch_ == 0) return;
    for (const ExecutionRecord& record : run.schedule.executions) {
      if (!run.shape.stages[index(record.what.stage)].split() || record.what.phase == FlowPhase::partition) continue;
      if (record.what.batch < static_cast<std::int64_t>(run.schedule.batches.size())) slot(record.what) = &record;
    }
  }

  void account(const SkippedVisits& skipped, Accounts& accounts) const {
    if (per_batch_ == 0) return;
    for (const VisitRecord& visit : run_.schedule.visits) {
      const FlowStage& stage = run_.shape.stages[index(visit.stage)];
      if (skipped.at(static_cast<std::size_t>(visit.batch), index(visit.stage))) continue;
      if (stage.split()) account_visit(visit, stage.parts(), accounts.parts);
    }
  }

 private:
  std::size_t position(std::int64_t batch, int stage) const {
    return static_cast<std::size_t>(batch) * per_batch_ + first_[index(stage)];
  }

  const ExecutionRecord*& slot(const Execution& what) {
    const int parts = run_.shape.stages[index(what.stage)].parts();
    return records_[position(what.batch, what.stage) + index(what.phase == FlowPhase::merge ? parts : what.part)];
  }

  void account_visit(const VisitRecord& visit, int parts, std::vector<PartAccount>& list) const {
    const auto* records = records_.data() + position(visit.batch, visit.stage);
    Nanoseconds first = Nanoseconds::max(), last = Nanoseconds::min();
    for (int p = 0; p <= parts; ++p) {
      if (records[p] == nullptr)
        throw Error(ErrorKind::bad_input,
                    fmt::format("pipeline run: batch {} has no execution in stage {}; record the run again",
                                visit.batch, visit.stage));
      if (p < parts) first = std::min(first, records[p]->end), last = std::max(last, records[p]->end);
    }
    for (int p = 0; p < parts; ++p) {
      const ExecutionRecord& record = *records[p];
      PartAccount& part = list.emplace_back();
      part.batch = visit.batch, part.stage = visit.stage, part.part = p, part.device = record.what.device;
      part.queue_wait = record.start - visit.dispatched;
      part.device_time = record.end - visit.dispatched;
      part.partition = visit.dispatched - visit.started;
      part.skew = last - first;
      part.wake_up = records[parts]->start - last;
      part.sync_merge = visit.done - last;
      part.stage_total = visit.done - visit.started;
      TAKT_DCHECK(part.partition + (last - visit.dispatched) + part.sync_merge == part.stage_total);
    }
  }

  const PipelineRun& run_;
  std::size_t per_batch_ = 0;
  std::vector<std::size_t> first_;  ///< by stage, in the slots of a batch
  std::vector<const ExecutionRecord*> records_;
};

}  // namespace

void account_stages(const PipelineRun& run, const std::vector<StageColumns>& by_batch, const VisitCopies& copies,
                    Accounts& accounts) {
  for (std::size_t s = 0; s < run.stages.size(); ++s) {
    const FlowStage& stage = run.shape.stages[s];
    StageAccount& account = accounts.stages.emplace_back();
    account.name = run.stages[s].name;
    account.devices = device_list(run, stage);
    account.replicas = static_cast<int>(stage.replicas.size());
    account.parts = stage.parts();
  }
  const auto& executions = run.schedule.executions;
  for (std::size_t i = 0; i < run.counters.size(); ++i) {
    StageAccount& stage = accounts.stages[index(executions[i].what.stage)];
    add_moved(stage, run.counters[i]);
    if (executions[i].what.batch >= accounts.warmup) add_counters(stage, executions[i], run.counters[i]);
  }
  const SkippedVisits skipped(run);
  add_copies(run, skipped, accounts.warmup, accounts.stages);
  describe_visits(by_batch, copies, skipped, accounts.warmup, accounts.stages);
  accounts.window = compare_with_alone(run, skipped, accounts.warmup, accounts.stages);
  account_batches(run, by_batch, copies, accounts);
  TAKT_DCHECK(!is_chain(run.shape) || batches_agree_with_stages(accounts));
  PartBook(run).account(skipped, accounts);
}

}  // namespace takt
