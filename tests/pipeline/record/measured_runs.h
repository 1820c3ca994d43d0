// Runs as measurements make them, and whether two runs are the same, every nanosecond of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "pipeline/record/run_words.h"

namespace takt {

using Numbers = std::vector<std::int64_t>;

inline Numbers numbers(const ExecutionRecord& e) {
  return {e.what.batch,    e.what.stage,    e.what.replica,
          e.what.part,     e.what.device,   static_cast<std::int64_t>(e.what.phase),
          e.ready.count(), e.start.count(), e.end.count()};
}

inline Numbers numbers(const VisitRecord& v) {
  return {v.batch,          v.stage,        v.replica,     v.entered.count(), v.started.count(), v.dispatched.count(),
          v.joined.count(), v.done.count(), v.left.count()};
}

inline Numbers numbers(const CopySpan& c) {
  return {c.batch, c.stage, c.replica, c.part, c.device, c.of_outputs, c.start.count(), c.end.count(), c.bytes};
}

inline Numbers numbers(const BatchRecord& b) { return {b.arrived.count(), b.admitted.count(), b.delivered.count()}; }

inline std::optional<std::int64_t> number(const std::optional<Nanoseconds>& time) {
  return time ? std::optional<std::int64_t>(time->count()) : std::nullopt;
}

template <typename Record>
void expect_same(const std::vector<Record>& a, const std::vector<Record>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(numbers(a[i]), numbers(b[i])) << "record " << i;
}

inline void expect_same_shape(const FlowShape& a, const FlowShape& b) {
  ASSERT_EQ(a.devices.size(), b.devices.size());
  for (std::size_t d = 0; d < a.devices.size(); ++d) ASSERT_EQ(a.devices[d].requests, b.devices[d].requests);
  ASSERT_EQ(a.stages.size(), b.stages.size());
  for (std::size_t s = 0; s < a.stages.size(); ++s) {
    ASSERT_EQ(a.stages[s].replicas, b.stages[s].replicas);
    ASSERT_EQ(a.stages[s].queue, b.stages[s].queue);
    ASSERT_EQ(a.stages[s].ordered, b.stages[s].ordered);
  }
  ASSERT_EQ(a.source.open, b.source.open);
  ASSERT_EQ(a.source.in_flight, b.source.in_flight);
  ASSERT_EQ(a.source.batches, b.source.batches);
}

inline void expect_same_law(const std::optional<ContentionLaw>& a, const std::optional<ContentionLaw>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  ASSERT_EQ(a->interference, b->interference);
  ASSERT_EQ(a->device_curve, b->device_curve);
  ASSERT_EQ(a->resources.size(), b->resources.size());
  for (std::size_t r = 0; r < a->resources.size(); ++r) {
    ASSERT_EQ(a->resources[r].law, b->resources[r].law);
    ASSERT_EQ(a->resources[r].pressure, b->resources[r].pressure);
    ASSERT_EQ(a->resources[r].sensitivity, b->resources[r].sensitivity);
  }
  ASSERT_EQ(a->combination, b->combination);
}

inline void expect_same(const PipelineRun& a, const PipelineRun& b) {
  ASSERT_EQ(a.name, b.name);
  expect_same_shape(a.shape, b.shape);
  for (std::size_t d = 0; d < a.devices.size(); ++d) {
    ASSERT_EQ(a.devices[d].name, b.devices[d].name);
    ASSERT_EQ(a.devices[d].runtime, b.devices[d].runtime);
  }
  for (std::size_t s = 0; s < a.stages.size(); ++s) {
    ASSERT_EQ(a.stages[s].name, b.stages[s].name);
    ASSERT_EQ(a.stages[s].model, b.stages[s].model);
    ASSERT_EQ(a.stages[s].copies_input, b.stages[s].copies_input);
    ASSERT_EQ(a.stages[s].input_bytes, b.stages[s].input_bytes);
    ASSERT_EQ(a.stages[s].ratio, b.stages[s].ratio);
    ASSERT_EQ(a.stages[s].threads, b.stages[s].threads);
  }
  expect_same(a.schedule.executions, b.schedule.executions);
  expect_same(a.copies, b.copies);
  expect_same(a.schedule.visits, b.schedule.visits);
  expect_same(a.schedule.batches, b.schedule.batches);
  ASSERT_EQ(a.schedule.begin, b.schedule.begin);
  ASSERT_EQ(a.schedule.end, b.schedule.end);
  ASSERT_EQ(a.counters.size(), b.counters.size());
  for (std::size_t i = 0; i < a.counters.size(); ++i) {
    ASSERT_EQ(number(a.counters[i].hardware), number(b.counters[i].hardware));
    ASSERT_EQ(number(a.counters[i].marshalling), number(b.counters[i].marshalling));
    ASSERT_EQ(a.counters[i].bytes_moved, b.counters[i].bytes_moved);
  }
  ASSERT_EQ(a.cores, b.cores);
  expect_same_law(a.contention, b.contention);
  ASSERT_EQ(a.warmup, b.warmup);
  ASSERT_EQ(number(a.base_time), number(b.base_time));
  ASSERT_EQ(a.virtual_clock, b.virtual_clock);
  ASSERT_EQ(a.interrupted, b.interrupted);
  ASSERT_EQ(a.failure, b.failure);
  ASSERT_EQ(a.provenance_json, b.provenance_json);
}

/// Copies of outputs right after every third execution, of inputs right before every fourth one.
inline void add_copies(PipelineRun& run) {
  for (std::size_t i = 0; i < run.schedule.executions.size(); ++i) {
    const auto& [what, ready, start, end] = run.schedule.executions[i];
    if (what.phase != FlowPhase::run) continue;
    const auto long_ago = static_cast<std::int64_t>(i % 7) * 100'003;
    CopySpan copy{what.batch,
                  what.stage,
                  what.replica,
                  what.part,
                  what.device,
                  true,
                  end + Nanoseconds(7),
                  end + Nanoseconds(2'000'013),
                  static_cast<std::int64_t>(i) * 4096};
    if (i % 3 == 0) run.copies.push_back(copy);
    copy.of_outputs = false;
    copy.start = start - Nanoseconds(300 + long_ago), copy.end = start - Nanoseconds(i % 2);
    if (i % 4 == 0) run.copies.push_back(copy);
  }
  std::stable_sort(run.copies.begin(), run.copies.end(), [](auto& a, auto& b) { return a.start < b.start; });
}

/// As a measured run is: large odd times, counters of some executions, hand-overs stamped twice, a cause of failure.
inline PipelineRun measured(std::uint64_t seed) {
  PipelineRun run = seed % 4 == 3 ? random_graph_run(seed) : random_run(seed);
  const std::int64_t scale = 1'000'003 + static_cast<std::int64_t>(seed) * 7919, base = 123'456'789'012'345;
  const auto stretch = [&](Nanoseconds& time, std::int64_t more = 0) {
    time = Nanoseconds(base + time.count() * scale + more);
  };
  for (auto& e : run.schedule.executions) stretch(e.ready), stretch(e.start), stretch(e.end);
  for (auto& v : run.schedule.visits) {
    stretch(v.entered), stretch(v.started), stretch(v.dispatched), stretch(v.joined), stretch(v.done);
    stretch(v.left, seed % 5 == 0 ? 17 : 0);
  }
  for (auto& b : run.schedule.batches) {
    stretch(b.arrived), stretch(b.admitted);
    stretch(b.delivered, seed % 5 == 0 ? 29 : 0);
  }
  stretch(run.schedule.begin, -5), stretch(run.schedule.end, 31);
  std::uint64_t state = seed + 1;
  for (std::size_t i = 0; i < run.schedule.executions.size(); ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    ExecutionCounters counters;
    if (state >> 63 != 0) counters.hardware = Nanoseconds(static_cast<std::int64_t>(state >> 20 & 0xffffffffff));
    if (i % 3 == 0) counters.marshalling = Nanoseconds(static_cast<std::int64_t>(state >> 30 & 0xffffff));
    if (i % 4 == 0) counters.bytes_moved = static_cast<std::int64_t>(state >> 23);
    run.counters.push_back(counters);
  }
  if (seed % 4 != 1) add_copies(run);
  run.virtual_clock = false;
  run.base_time = Nanoseconds(1'790'000'000'123'456'789);
  run.warmup = 2;
  run.stages[0].copies_input = true;
  run.stages[0].input_bytes = 4096;
  run.stages[1].ratio = {0.1, 0.9};
  run.cores = 4;
  run.stages[0].threads = 2;
  run.stages[0].name = "Gather \"1\" \\ ümlaut_0";
  run.interrupted = seed % 2 == 0;
  if (run.interrupted) run.failure = "stage 's_1', batch 3: out of memory";
  run.provenance_json = R"({"schema_version":1,"command":["takt","pipeline"],"host":"h"})";
  return run;
}

}  // namespace takt
