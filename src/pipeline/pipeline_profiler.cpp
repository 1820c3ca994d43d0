#include "pipeline/pipeline_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/error.h"
#include "core/text.h"
#include "pipeline/account.h"
#include "trace/chrome_writer.h"

namespace takt {
namespace {

int number_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) names.push_back(name);
  return static_cast<int>(found - names.begin());
}

struct Lane {
  int device = 0;
  Nanoseconds busy_until{};
};

/// The first request of the device that is free then, or a new one.
int replica_of(std::vector<Lane>& lanes, int device, Nanoseconds from, Nanoseconds until) {
  const auto free = std::find_if(lanes.begin(), lanes.end(),
                                 [&](const Lane& lane) { return lane.device == device && lane.busy_until <= from; });
  const int number = static_cast<int>(free - lanes.begin());
  if (free == lanes.end())
    lanes.push_back({device, until});
  else
    free->busy_until = until;
  return number;
}

}  // namespace

void PipelineProfiler::log_event(const std::string& stage, const std::string& device, std::int64_t batch,
                                 Nanoseconds submitted, Nanoseconds completed, const ExecutionCounters& counters) {
  if (completed < submitted)
    throw Error(ErrorKind::bad_input, fmt::format("stage '{}', batch {}: completed before it was submitted; take both "
                                                  "times from the steady clock",
                                                  stage, batch));
  const std::lock_guard lock(mutex_);
  entries_.push_back({number_of(stages_, stage), number_of(devices_, device), batch, submitted, completed, counters});
}

void PipelineProfiler::log_execution(const std::string& stage, const std::string& device, const StageResult& result) {
  if (!result.error) log_event(stage, device, result.batch, result.submitted, result.completed, result.counters);
}

std::vector<PipelineProfiler::Visits> PipelineProfiler::whole_batches() const {
  std::map<std::int64_t, Visits> batches;
  for (const auto& entry : entries_) {
    auto& visits = batches[entry.batch];
    visits.resize(stages_.size());
    auto& visit = visits[static_cast<std::size_t>(entry.stage)];
    if (visit)
      throw Error(ErrorKind::bad_input, fmt::format("batch {} was in stage '{}' twice; number the batches one by one",
                                                    entry.batch, stages_[static_cast<std::size_t>(entry.stage)]));
    visit = &entry;
  }
  std::vector<Visits> whole;
  for (const auto& [number, visits] : batches) {
    if (std::find(visits.begin(), visits.end(), nullptr) != visits.end()) continue;
    for (std::size_t s = 1; s < visits.size(); ++s)
      if (visits[s]->submitted < visits[s - 1]->completed)
        throw Error(ErrorKind::bad_input, fmt::format("batch {} was in stage '{}' before '{}' was done with it; name "
                                                      "the stages in their order",
                                                      number, stages_[s], stages_[s - 1]));
    whole.push_back(visits);
  }
  return whole;
}

PipelineRun PipelineProfiler::run() const {
  const std::lock_guard lock(mutex_);
  const auto batches = whole_batches();
  PipelineRun run;
  run.name = name_;
  for (const auto& device : devices_) run.devices.push_back({device, ""});
  run.shape.devices.resize(devices_.size());
  run.shape.source.batches = static_cast<std::int64_t>(batches.size());
  if (batches.empty()) throw Error(ErrorKind::bad_input, "no batch went through all stages; log one at least");
  Nanoseconds base = batches.front().front()->submitted;
  for (const auto& visits : batches) base = std::min(base, visits.front()->submitted);
  const auto stages = stages_.size();
  run.schedule.visits.resize(batches.size() * stages);
  std::vector<std::pair<ExecutionRecord, ExecutionCounters>> executions;
  for (std::size_t s = 0; s < stages; ++s) {
    run.stages.emplace_back().name = stages_[s];
    auto& shape = run.shape.stages.emplace_back();
    shape.ordered = false;
    shape.queue = static_cast<int>(batches.size());
    std::vector<std::size_t> order(batches.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto x, auto y) { return batches[x][s]->submitted < batches[y][s]->submitted; });
    std::vector<Lane> lanes;
    for (const auto b : order) {
      const Entry& entry = *batches[b][s];
      const int replica = replica_of(lanes, entry.device, entry.submitted, entry.completed);
      const auto start = entry.submitted - base, end = entry.completed - base;
      const auto entered = s == 0 ? start : batches[b][s - 1]->completed - base;
      const auto batch = static_cast<std::int64_t>(b);
      run.schedule.visits[b * stages + s] = {batch, static_cast<int>(s), replica, entered, start, start, end, end, end};
      executions.push_back(
          {{{batch, static_cast<int>(s), replica, 0, entry.device, FlowPhase::run}, entered, start, end},
           entry.counters});
    }
    for (const Lane& lane : lanes) shape.replicas.push_back({lane.device});
  }
  std::stable_sort(executions.begin(), executions.end(),
                   [](const auto& a, const auto& b) { return a.first.start < b.first.start; });
  for (auto& [record, counters] : executions) {
    run.schedule.executions.push_back(record);
    run.counters.push_back(counters);
    run.schedule.end = std::max(run.schedule.end, record.end);
  }
  for (const auto& visits : batches) {
    const auto arrived = visits.front()->submitted - base;
    run.schedule.batches.push_back({arrived, arrived, visits.back()->completed - base});
  }
  run.base_time = wall_now() - (steady_now() - base);
  return run;
}

std::vector<Table> PipelineProfiler::tables() const { return takt::tables(account(run())); }

void PipelineProfiler::export_chrome_trace(const std::filesystem::path& file) const {
  write_chrome_trace(to_trace(run()), file);
}

}  // namespace takt
