// A run taken apart into its batches, as they would have been delivered.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/basics/index.h"
#include "pipeline/record/measured_runs.h"
#include "pipeline/record/packed_batches.h"

namespace takt {

/// In the order of their numbers.
inline std::vector<BatchPassage> passages_of(const PipelineRun& run) {
  std::vector<BatchPassage> passages(run.schedule.batches.size());
  for (std::size_t b = 0; b < passages.size(); ++b) {
    passages[b].batch = static_cast<std::int64_t>(b);
    passages[b].times = run.schedule.batches[b];
    const auto first = run.schedule.visits.begin() + static_cast<std::ptrdiff_t>(b * run.stages.size());
    passages[b].visits.assign(first, first + static_cast<std::ptrdiff_t>(run.stages.size()));
  }
  for (std::size_t e = 0; e < run.schedule.executions.size(); ++e) {
    const ExecutionRecord& record = run.schedule.executions[e];
    passages[index(record.what.batch)].steps.push_back(
        {static_cast<std::int64_t>(e), record, run.counters.empty() ? ExecutionCounters{} : run.counters[e]});
  }
  for (const CopySpan& copy : run.copies) passages[index(copy.batch)].copies.push_back(copy);
  return passages;
}

/// Without times, as a sink is told of it before it begins.
inline PipelineRun planned_of(PipelineRun run) {
  run.schedule = {};
  run.counters.clear();
  run.copies.clear();
  run.base_time.reset();
  run.warmup = 0;
  run.interrupted = false;
  run.failure.reset();
  return run;
}

/// The first so many batches of the run, as one that was recorded batch by batch has them: the window is theirs, and a
/// stage whose inputs were copied says so.
inline PipelineRun first_batches(PipelineRun run, std::size_t count, std::optional<std::int64_t> warmup) {
  const auto beyond = [&](const auto& record) { return index(record.batch) >= count; };
  Schedule& schedule = run.schedule;
  schedule.batches.resize(count);
  schedule.visits.resize(count * run.stages.size());
  std::vector<ExecutionRecord> executions;
  std::vector<ExecutionCounters> counters;
  for (std::size_t e = 0; e < schedule.executions.size(); ++e) {
    if (beyond(schedule.executions[e].what)) continue;
    executions.push_back(schedule.executions[e]);
    if (!run.counters.empty()) counters.push_back(run.counters[e]);
  }
  const auto tells = [](const ExecutionCounters& c) { return c.hardware || c.marshalling || c.bytes_moved; };
  if (std::none_of(counters.begin(), counters.end(), tells)) counters.clear();
  schedule.executions = std::move(executions);
  run.counters = std::move(counters);
  std::erase_if(run.copies, beyond);
  for (const CopySpan& copy : run.copies)
    if (!copy.of_outputs) run.stages[index(copy.stage)].copies_input = true;
  schedule.begin = schedule.end = count == 0 ? Nanoseconds(0) : schedule.batches.front().arrived;
  for (const BatchRecord& batch : schedule.batches) schedule.end = std::max(schedule.end, batch.delivered);
  run.warmup = warmup_batches(warmup, run.shape.source, static_cast<std::int64_t>(count));
  return run;
}

/// Copies that begin together may stand in any order.
inline void order_copies(PipelineRun& run) {
  std::sort(run.copies.begin(), run.copies.end(),
            [](auto& a, auto& b) { return std::pair(a.start, numbers(a)) < std::pair(b.start, numbers(b)); });
}

inline void expect_same_record(PipelineRun a, PipelineRun b) {
  order_copies(a);
  order_copies(b);
  expect_same(a, b);
}

}  // namespace takt
