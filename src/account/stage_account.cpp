#include "account/stage_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "core/check.h"
#include "core/error.h"
#include "core/index.h"
#include "core/large_pages.h"

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

void add_counters(StageAccount& stage, const ExecutionRecord& record, const ExecutionCounters& counters) {
  if (counters.bytes_moved) stage.bytes_moved = stage.bytes_moved.value_or(0) + *counters.bytes_moved;
  if (counters.marshalling) add(stage.marshalling, *counters.marshalling);
  if (!counters.hardware) return;
  ++stage.counted;
  add(stage.hardware, *counters.hardware);
  add(stage.penalty, record.end - record.start - *counters.hardware);
}

/// Executions beside which nothing else ran, by stage: what a stage takes when it has the machine for itself.
/// Executions come in the order of their starts; one that encloses others ends last, so the latest end so far decides.
/// Returns the run's window, which the same walk tells.
RunWindow compare_with_alone(const PipelineRun& run, std::vector<StageAccount>& stages) {
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
    if (record.what.phase == FlowPhase::run) {
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

void describe_visits(const std::vector<StageColumns>& columns, std::vector<StageAccount>& stages) {
  std::vector<std::int64_t> values;
  reserve_large(values, columns.front().started.size());
  const auto spread = [&](const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
    values.resize(from.size());
    std::transform(to.begin(), to.end(), from.begin(), values.begin(), std::minus<>());
    return describe(values);
  };
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const StageColumns& times = columns[s];
    stages[s].time = spread(times.started, times.done);
    stages[s].queue_wait = spread(times.entered, times.started);
    stages[s].blocked = spread(times.done, times.left);
  }
}

/// Some batches at a time, so that they stay in the cache while each stage adds its own.
void account_batches(const PipelineRun& run, const std::vector<StageColumns>& columns, Accounts& accounts) {
  constexpr std::size_t block = 256;
  const std::size_t stages = run.stages.size(), count = run.schedule.batches.size();
  reserve_large(accounts.batches, count);
  reserve_large(accounts.stage_times, count * stages);
  accounts.stage_times.resize(count * stages);
  for (const BatchRecord& record : run.schedule.batches)
    accounts.batches.push_back({record.arrived, record.admitted, record.delivered, {}, {}, {}, 0});
  for (std::size_t first = 0; first < count; first += block) {
    for (std::size_t s = 0; s < stages; ++s) {
      const StageColumns& times = columns[s];
      for (std::size_t b = first; b < std::min(first + block, count); ++b) {
        BatchAccount& batch = accounts.batches[b];
        const Nanoseconds time(times.done[b] - times.started[b]);
        batch.queue_wait += Nanoseconds(times.started[b] - times.entered[b]);
        batch.blocked += Nanoseconds(times.left[b] - times.done[b]);
        if (s == 0 || time > batch.cycle) batch.cycle = time, batch.slowest = static_cast<int>(s);
        accounts.stage_times[b * stages + s] = time;
      }
    }
  }
}

/// The waits and times of all batches are those of all stages: both were added up from the same columns.
bool batches_agree_with_stages(const Accounts& accounts) {
  Nanoseconds left{};
  for (const BatchAccount& batch : accounts.batches) left += batch.queue_wait + batch.blocked;
  for (const Nanoseconds time : accounts.stage_times) left += time;
  for (const StageAccount& stage : accounts.stages)
    left -= stage.queue_wait.total + stage.time.total + stage.blocked.total;
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

  void account(Accounts& accounts) const {
    if (per_batch_ == 0) return;
    for (const VisitRecord& visit : run_.schedule.visits) {
      const FlowStage& stage = run_.shape.stages[index(visit.stage)];
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
        throw Error(ErrorKind::bad_input, fmt::format("pipeline run: batch {} lacks an execution in stage {}; record "
                                                      "the run again",
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

void account_stages(const PipelineRun& run, const std::vector<StageColumns>& by_batch, Accounts& accounts) {
  for (std::size_t s = 0; s < run.stages.size(); ++s) {
    const FlowStage& stage = run.shape.stages[s];
    StageAccount& account = accounts.stages.emplace_back();
    account.name = run.stages[s].name;
    account.devices = device_list(run, stage);
    account.replicas = static_cast<int>(stage.replicas.size());
    account.parts = stage.parts();
  }
  const auto& executions = run.schedule.executions;
  for (std::size_t i = 0; i < run.counters.size(); ++i)
    add_counters(accounts.stages[index(executions[i].what.stage)], executions[i], run.counters[i]);
  describe_visits(by_batch, accounts.stages);
  accounts.window = compare_with_alone(run, accounts.stages);
  account_batches(run, by_batch, accounts);
  TAKT_DCHECK(batches_agree_with_stages(accounts));
  PartBook(run).account(accounts);
}

}  // namespace takt
