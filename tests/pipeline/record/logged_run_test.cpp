// What a program logged of its pipeline becomes a run: every record of it by hand, in nanoseconds.
#include "pipeline/record/logged_run.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "pipeline/record/measured_runs.h"

namespace takt {
namespace {

LoggedPart logged_part(std::size_t device, std::int64_t submitted, std::int64_t completed) {
  return {device, Nanoseconds(submitted), Nanoseconds(completed), {}};
}

LoggedVisit logged_visit(std::int64_t begin, std::int64_t dispatched, std::int64_t merged, std::int64_t done,
                         std::vector<LoggedPart> parts) {
  return {
      Nanoseconds(begin), Nanoseconds(dispatched), Nanoseconds(merged), Nanoseconds(done), std::move(parts), {}, {}};
}

/// In a stage of one part on this device.
LoggedVisit logged_visit(std::int64_t begin, std::int64_t done, std::size_t device = 0) {
  return logged_visit(begin, begin, done, done, {logged_part(device, begin, done)});
}

/// Batches 5 and 7 went through 'first', then 'second', which divides them over Y and Z; batch 6 was in the first at the end.
PipelineLog two_batches() {
  PipelineLog log;
  log.name = "mine";
  log.wall_minus_steady = Nanoseconds(1000);
  log.stages = {{"second", 2}, {"first", 1}};
  log.devices = {"unused", "Z", "Y", "X"};
  LoggedVisit copied = logged_visit(105, 105, 120, 120, {logged_part(3, 106, 118)});
  copied.parts[0].counters = {Nanoseconds(9), Nanoseconds(2), 64};
  copied.inputs_copied = {Nanoseconds(100), Nanoseconds(104), 8};
  copied.outputs_copied = {Nanoseconds(121), Nanoseconds(125), 16};
  log.batches[5] = {logged_visit(130, 132, 152, 155, {logged_part(2, 133, 150), logged_part(1, 134, 147)}), copied};
  log.batches[6] = {std::nullopt, logged_visit(190, 199)};
  log.batches[7] = {logged_visit(155, 156, 171, 172, {logged_part(2, 157, 160), logged_part(1, 158, 170)}),
                    logged_visit(110, 110, 123, 123, {logged_part(3, 111, 121)})};
  return log;
}

TEST(LoggedRuns, have_stages_and_devices_as_batches_used_them) {
  const PipelineRun run = run_of(two_batches());
  EXPECT_EQ(run.name, "mine");
  EXPECT_EQ(run.base_time, Nanoseconds(1100)) << "100 of the steady clock, when the first batch came";
  ASSERT_EQ(run.stages.size(), 2u);
  EXPECT_EQ(run.stages[0].name + " " + run.stages[1].name, "first second");
  ASSERT_EQ(run.devices.size(), 3u);
  EXPECT_EQ(run.devices[0].name + run.devices[1].name + run.devices[2].name, "XYZ");
  ASSERT_EQ(run.shape.devices.size(), 3u);
  using Replicas = std::vector<std::vector<int>>;
  EXPECT_EQ(run.shape.stages[0].replicas, (Replicas{{0}, {0}})) << "both batches were inside at once";
  EXPECT_EQ(run.shape.stages[1].replicas, (Replicas{{1, 2}})) << "the second came as the first left";
  EXPECT_EQ(run.shape.stages[0].queue, 1);
  EXPECT_EQ(run.shape.stages[1].queue, 2) << "from 123 to 155, and from 125 to 130";
  EXPECT_FALSE(run.shape.stages[0].ordered || run.shape.stages[1].ordered);
  EXPECT_FALSE(run.shape.source.open);
  EXPECT_EQ(run.shape.source.batches, 2);
  EXPECT_EQ(run.shape.source.in_flight, 2);
  EXPECT_FALSE(run.virtual_clock || run.interrupted || run.failure);
}

TEST(LoggedRuns, have_every_execution_visit_batch_and_copy) {
  const PipelineRun run = run_of(two_batches());
  const auto list = [](const auto& records) {
    std::vector<Numbers> all;
    for (const auto& record : records) all.push_back(numbers(record));
    return all;
  };
  const auto host = std::int64_t{Execution::host};
  const auto cuts = static_cast<std::int64_t>(FlowPhase::partition), runs = static_cast<std::int64_t>(FlowPhase::run),
             joins = static_cast<std::int64_t>(FlowPhase::merge);
  // Batch, stage, replica, part, device, phase; ready, start, end.
  EXPECT_EQ(list(run.schedule.executions), (std::vector<Numbers>{{0, 0, 0, 0, 0, runs, 0, 6, 18},
                                                                 {1, 0, 1, 0, 0, runs, 10, 11, 21},
                                                                 {0, 1, 0, 0, host, cuts, 25, 30, 32},
                                                                 {0, 1, 0, 0, 1, runs, 32, 33, 50},
                                                                 {0, 1, 0, 1, 2, runs, 32, 34, 47},
                                                                 {0, 1, 0, 0, host, joins, 50, 52, 55},
                                                                 {1, 1, 0, 0, host, cuts, 23, 55, 56},
                                                                 {1, 1, 0, 0, 1, runs, 56, 57, 60},
                                                                 {1, 1, 0, 1, 2, runs, 56, 58, 70},
                                                                 {1, 1, 0, 0, host, joins, 70, 71, 72}}));
  // Batch, stage, replica; entered, started, dispatched, joined, done, left.
  EXPECT_EQ(list(run.schedule.visits), (std::vector<Numbers>{{0, 0, 0, 0, 5, 5, 20, 20, 25},
                                                             {0, 1, 0, 25, 30, 32, 50, 55, 55},
                                                             {1, 0, 1, 10, 10, 10, 23, 23, 23},
                                                             {1, 1, 0, 23, 55, 56, 70, 72, 72}}));
  EXPECT_EQ(list(run.schedule.batches), (std::vector<Numbers>{{0, 0, 55}, {10, 10, 72}}));
  // Batch, stage, replica, part, device, of outputs; start, end, bytes.
  EXPECT_EQ(list(run.copies), (std::vector<Numbers>{{0, 0, 0, 0, 0, 0, 0, 4, 8}, {0, 0, 0, 0, 0, 1, 21, 25, 16}}));
  EXPECT_EQ(run.schedule.begin, Nanoseconds(0));
  EXPECT_EQ(run.schedule.end, Nanoseconds(72));
  ASSERT_EQ(run.counters.size(), 10u);
  EXPECT_EQ(run.counters[0].hardware, Nanoseconds(9));
  EXPECT_EQ(run.counters[0].marshalling, Nanoseconds(2));
  EXPECT_EQ(run.counters[0].bytes_moved, 64);
  for (std::size_t i = 1; i < 10; ++i) EXPECT_FALSE(run.counters[i].hardware) << i;
}

TEST(LoggedRuns, end_with_the_last_copy) {
  PipelineLog log = two_batches();
  log.stages.erase(log.stages.begin());
  log.batches = {{1, {logged_visit(10, 20)}}, {2, {logged_visit(12, 18)}}};
  EXPECT_EQ(run_of(log).schedule.end, Nanoseconds(10));
  log.batches[2][0]->outputs_copied = {Nanoseconds(19), Nanoseconds(31), 1};
  EXPECT_EQ(run_of(log).schedule.end, Nanoseconds(21));
  EXPECT_EQ(run_of(log).schedule.batches[1].delivered, Nanoseconds(21));
  log.batches[2][0]->outputs_copied.bytes = 0;  // then nothing was copied
  EXPECT_EQ(run_of(log).schedule.end, Nanoseconds(10));
  EXPECT_TRUE(run_of(log).copies.empty());
}

/// One stage; the batches were in it so.
PipelineRun run_of_spans(const std::vector<std::pair<std::int64_t, std::int64_t>>& spans) {
  PipelineLog log;
  log.stages = {{"only", 1}};
  log.devices = {"D"};
  std::int64_t number = 0;
  for (const auto& [begin, done] : spans) log.batches[number++] = {logged_visit(begin, done)};
  return run_of(log);
}

TEST(LoggedRuns, take_the_replica_that_has_been_idle_longest) {
  const auto replicas = [](const std::vector<std::pair<std::int64_t, std::int64_t>>& spans) {
    std::vector<int> list;
    for (const VisitRecord& visit : run_of_spans(spans).schedule.visits) list.push_back(visit.replica);
    return list;
  };
  EXPECT_EQ(replicas({{0, 5}, {5, 9}, {9, 10}}), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(replicas({{0, 5}, {4, 9}, {5, 10}}), (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(replicas({{0, 5}, {1, 3}, {5, 9}}), (std::vector<int>{0, 1, 1})) << "idle since 3";
  EXPECT_EQ(replicas({{0, 5}, {1, 3}, {4, 9}, {6, 7}}), (std::vector<int>{0, 1, 1, 0}));
  EXPECT_EQ(replicas({{4, 6}, {0, 3}, {2, 5}}), (std::vector<int>{0, 0, 1})) << "by their times, not numbers";
}

TEST(LoggedRuns, tell_how_many_batches_were_inside_at_once) {
  const auto inside = [](const std::vector<std::pair<std::int64_t, std::int64_t>>& spans) {
    return run_of_spans(spans).shape.source.in_flight;
  };
  EXPECT_EQ(inside({{0, 5}}), 1);
  EXPECT_EQ(inside({{0, 5}, {5, 8}}), 1);
  EXPECT_EQ(inside({{0, 5}, {4, 8}}), 2);
  EXPECT_EQ(inside({{0, 9}, {1, 3}, {3, 8}}), 2);
  EXPECT_EQ(inside({{0, 9}, {1, 4}, {3, 8}}), 3);
  EXPECT_EQ(inside({{2, 2}, {2, 2}}), 1) << "no time at all";
}

std::string log_refusal(const PipelineLog& log) {
  try {
    run_of(log);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(LoggedRuns, go_through_the_stages_one_after_the_other) {
  PipelineLog log;
  log.name = "mine";
  log.stages = {{"a", 1}, {"b", 1}};
  log.devices = {"D"};
  log.batches = {{3, {logged_visit(0, 4), logged_visit(4, 6)}}, {4, {logged_visit(1, 7), logged_visit(7, 9)}}};
  EXPECT_EQ(log_refusal(log), "accepted");
  log.batches[4][1]->begin = Nanoseconds(6);
  EXPECT_EQ(log_refusal(log),
            "pipeline 'mine': batch 4 was in stage 'b' before 'a' had completed it; every batch passes the stages one "
            "after the other, in the same order");
  log.batches[4].pop_back();
  EXPECT_EQ(log_refusal(log), "accepted");
  log.batches[3].clear();
  EXPECT_EQ(
      log_refusal(log),
      "pipeline 'mine': none of the 2 batches was logged in all stages ('a', 'b'); log every batch in every stage");
}

TEST(PipelineLogs, number_stages_and_devices) {
  PipelineLog log;
  log.stages = {{"a", 1}, {"b", 1}};
  EXPECT_EQ(log.stage("a"), 0u);
  EXPECT_EQ(log.stage("b"), 1u);
  EXPECT_EQ(log.stage("c"), 2u);
  EXPECT_EQ(log.device("X"), 0u);
  EXPECT_EQ(log.device("Y"), 1u);
  EXPECT_EQ(log.device("X"), 0u);
  EXPECT_EQ(log.devices, (std::vector<std::string>{"X", "Y"}));
}

}  // namespace
}  // namespace takt
