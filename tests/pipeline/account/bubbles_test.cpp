// Mistakes that profilers of pipelines are known to make, each with a run on which it shows.
#include <gtest/gtest.h>

#include "pipeline/account/account.h"
#include "pipeline/record/run_words.h"

namespace takt {
namespace {

using Times = std::vector<std::vector<std::int64_t>>;

/// [0,10] with [2,4] inside it, then [12,13], all on device 0.
PipelineRun nested() {
  auto shape = pipeline({stage_on(0, 2, 4)}, 3);
  shape.stages[0].ordered = false;
  shape.source.open = true;
  SimulationOptions options;
  options.arrivals = {Nanoseconds(0), Nanoseconds(2), Nanoseconds(12)};
  return simulated_run(shape, Times{{10}, {2}, {1}}, options);
}

// The end of the execution before in the list is 4, which would make a bubble of 8; the latest end so far is 10.
TEST(Bubbles, are_measured_from_the_latest_end_so_far) {
  const auto device = account(nested()).devices[0];
  EXPECT_EQ(device.bubbles.count, 1);
  EXPECT_EQ(device.bubbles.total.count(), 2);
  EXPECT_DOUBLE_EQ(device.bubbles.mean->count(), 0.002);
}

// Overlapping executions: 13 of executing in 11 of busy.
TEST(Bubbles, busy_time_is_a_union_and_never_more_than_the_wall) {
  const auto device = account(nested()).devices[0];
  EXPECT_EQ(device.executing.count(), 13);
  EXPECT_EQ(device.busy.count(), 11);
  EXPECT_EQ(device.wall.count(), 13);
}

// Four operators side by side inside each execution: counters say 40 + 8 + 4 of 13 ns. That is told apart from the
// utilisation, and not cut off at 100 %.
TEST(Bubbles, sum_of_counters_may_exceed_the_wall_and_stands_beside_the_union) {
  auto run = nested();
  for (const auto& execution : run.schedule.executions) {
    const Nanoseconds time = execution.end - execution.start;
    run.counters.push_back({4 * time, std::nullopt, std::nullopt});
  }
  const auto device = account(run).devices[0];
  EXPECT_EQ(device.hardware->count(), 52);
  EXPECT_EQ(device.penalty->count(), -39);
  EXPECT_LE(device.busy, device.wall);
}

TEST(Bubbles, counters_that_no_runtime_told_are_missing_not_zero) {
  const auto a = account(nested());
  EXPECT_FALSE(a.devices[0].hardware);
  EXPECT_FALSE(a.devices[0].penalty);
  EXPECT_FALSE(a.stages[0].hardware);
}

// A (4) then B (4), three batches: run one after the other they would take 24 and idle half of the time each.
TEST(Bubbles, stages_that_overlap_leave_no_bubbles_of_a_serial_run) {
  const auto a = account(simulated_run(pipeline({stage_on(0), stage_on(1)}, 3), {takes(4), takes(4)}));
  EXPECT_EQ(a.window.length().count(), 16);
  EXPECT_EQ(a.devices[0].starved.count() + a.devices[1].starved.count(), 0);
}

// Parts of 10 and 4 from a common dispatch: waiting for them in order would make the second one 10 as well.
TEST(Bubbles, device_time_of_a_part_ends_with_its_own_completion) {
  for (const bool long_one_first : {true, false}) {
    const std::vector<std::int64_t> parts =
        long_one_first ? std::vector<std::int64_t>{10, 4} : std::vector<std::int64_t>{4, 10};
    const auto a = account(simulated_run(pipeline({stage_over({0, 1})}, 1), {takes(1, parts, 2)}));
    ASSERT_EQ(a.parts.size(), 2U);
    for (std::size_t p = 0; p < 2; ++p) {
      EXPECT_EQ(a.parts[p].device_time.count(), parts[p]);
      EXPECT_EQ(a.parts[p].sync_merge.count(), 2);  // the wait for the longer part is in no sum twice
      EXPECT_EQ(a.parts[p].skew.count(), 6);
      EXPECT_EQ(a.parts[p].stage_total.count(), 1 + 10 + 2);
    }
  }
}

// Two replicas of 10 each: no batch is in its longest stage for less than 10, and yet one leaves every 5.
TEST(Bubbles, cycle_latency_of_a_batch_is_not_the_steady_cycle) {
  const auto a = account(simulated_run(pipeline({stage_on(0, 2, 4)}, 8), {takes(10)}));
  EXPECT_EQ(a.batches[3].cycle.count(), 10);
  EXPECT_DOUBLE_EQ(a.cycle->count(), 0.005);
}

// Names are not taken apart: "s_0" and "s_1" are two stages.
TEST(Bubbles, stage_names_may_hold_underscores) {
  const auto a = account(simulated_run(pipeline({stage_on(0), stage_on(1)}, 2), {takes(4), takes(2)}));
  EXPECT_EQ(a.stages[0].name, "s_0");
  EXPECT_EQ(a.stages[1].name, "s_1");
  EXPECT_EQ(a.stages[0].time.total.count(), 8);
  EXPECT_EQ(a.stages[1].time.total.count(), 4);
}

// Executions that overlap on a device lie on rows of their own, where viewers would drop or move them on one.
TEST(Bubbles, rows_of_the_trace_hold_no_overlap) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Trace trace = to_trace(random_run(seed));
    std::vector<std::int64_t> reached(trace.rows().size(), 0);
    for (const TraceEvent& event : trace.events()) {
      auto& end = reached[static_cast<std::size_t>(event.row)];
      ASSERT_GE(event.start_ns, end) << "seed " << seed;
      end = event.start_ns + event.duration_ns;
    }
  }
}

}  // namespace
}  // namespace takt
