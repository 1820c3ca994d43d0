// Schedules worked out by hand.
#include "flow/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "flow/arrivals.h"
#include "flow/flow_words.h"

namespace takt {
namespace {

using testing::ElementsAre;
using Times = std::vector<std::int64_t>;

TEST(Simulate, constant_times_take_their_sum_and_the_slowest_for_each_further_batch) {
  // Σ t + (M−1)·max t = 10 + 30 + 20 + 9·30.
  const auto shape = pipeline({stage_on(0), stage_on(1), stage_on(2)}, 10);
  EXPECT_EQ(simulated(shape, {takes(10), takes(30), takes(20)}), 60 + 9 * 30);
}

TEST(Simulate, one_batch_takes_the_sum) {
  EXPECT_EQ(simulated(pipeline({stage_on(0), stage_on(1)}, 1), {takes(7), takes(5)}), 12);
}

TEST(Simulate, no_batch_takes_no_time) {
  const auto result = schedule(pipeline({stage_on(0)}, 0), {takes(7)});
  EXPECT_EQ(result.makespan().count(), 0);
  EXPECT_TRUE(result.executions.empty());
}

TEST(Simulate, replicas_share_the_batches) {
  // Four replicas of 40 ns serve a batch every 10 ns: batches 0-3 together, 4 when 0 is done …
  const auto shape = pipeline({stage_on(0, 4, 4)}, 10);
  EXPECT_EQ(simulated(shape, {takes(40)}), 120);
  const auto result = schedule(shape, {takes(40)});
  EXPECT_EQ(result.visits[3].replica, 3);
  EXPECT_EQ(result.visits[4].replica, 0);
  EXPECT_EQ(result.visits[4].started.count(), 40);
}

TEST(Simulate, a_full_queue_blocks_the_stage_before_it_after_service) {
  // Stage 0 takes 10, stage 1 100, one place between them. Batch 0 runs in stage 1 from 10, batch 1 waits in the queue
  // from 20, batch 2 is done at 30 and keeps its replica until batch 1 starts at 110; only then batch 3 starts.
  const auto result = schedule(pipeline({stage_on(0), stage_on(1)}, 5), {takes(10), takes(100)});
  EXPECT_THAT(start_times(result, 0), ElementsAre(0, 10, 20, 110, 210));
  EXPECT_THAT(leaving_times(result, 0), ElementsAre(10, 20, 110, 210, 310));
  EXPECT_THAT(start_times(result, 1), ElementsAre(10, 110, 210, 310, 410));
  EXPECT_EQ(result.visits[4].done.count(), 30);  // batch 2 in stage 0: done long before it left
  EXPECT_EQ(result.makespan().count(), 510);
}

TEST(Simulate, a_longer_queue_blocks_later) {
  const auto result = schedule(pipeline({stage_on(0), stage_on(1, 1, 2)}, 5), {takes(10), takes(100)});
  EXPECT_THAT(leaving_times(result, 0), ElementsAre(10, 20, 30, 110, 210));
}

TEST(Simulate, a_blocked_batch_leaves_its_device_to_others) {
  // Stages 0 and 2 on device 0 with one request, the slow stage 1 elsewhere. Batch 2 is blocked in stage 0 from 30 to
  // 110; stage 2 takes batch 0 at 110 all the same.
  auto shape = pipeline({stage_on(0), stage_on(1), stage_on(0)}, 3);
  shape.devices[0].requests = 1;
  const auto result = schedule(shape, {takes(10), takes(100), takes(15)});
  EXPECT_EQ(result.visits[6].done.count(), 30);
  EXPECT_EQ(result.visits[6].left.count(), 110);
  EXPECT_THAT(start_times(result, 2), ElementsAre(110, 210, 310));
}

TEST(Simulate, the_lowest_batch_goes_first_on_a_shared_device) {
  // Two stages on one device with one request: 0 passes through both, then 1, then 2.
  auto shape = pipeline({stage_on(0), stage_on(0)}, 3);
  shape.devices[0].requests = 1;
  const auto result = schedule(shape, {takes(10), takes(20)});
  EXPECT_THAT(start_times(result, 0), ElementsAre(0, 30, 60));
  EXPECT_THAT(start_times(result, 1), ElementsAre(10, 40, 70));
}

TEST(Simulate, stages_of_one_device_share_its_requests) {
  // Two requests for three stages of 10 ns: 3·10 ns of work per batch at two per 10 ns. 0 | 0 1 | 0 1 | 1 2 | 2 3 | 2 3
  // | 3.
  auto shape = pipeline({stage_on(0), stage_on(0), stage_on(0)}, 4);
  shape.devices[0].requests = 2;
  const auto result = schedule(shape, {takes(10), takes(10), takes(10)});
  EXPECT_THAT(delivery_times(result), ElementsAre(30, 40, 60, 70));
}

TEST(Simulate, a_split_stage_lasts_as_long_as_partition_slowest_part_and_merge) {
  const auto shape = pipeline({stage_over({0, 1})}, 3);
  const auto result = schedule(shape, {takes(5, {40, 60}, 7)});
  EXPECT_THAT(delivery_times(result), ElementsAre(72, 144, 216));
  const auto& visit = result.visits[1];
  EXPECT_EQ(visit.started.count(), 72);
  EXPECT_EQ(visit.dispatched.count(), 77);
  EXPECT_EQ(visit.joined.count(), 137);
  EXPECT_EQ(visit.done.count(), 144);
  // Batch 0: partition, two parts, merge.
  ASSERT_EQ(result.executions.size(), 12u);
  EXPECT_EQ(result.executions[1].what, (Execution{0, 0, 0, 0, 0, FlowPhase::run}));
  EXPECT_EQ(result.executions[1].end.count(), 45);
  EXPECT_EQ(result.executions[2].what, (Execution{0, 0, 0, 1, 1, FlowPhase::run}));
  EXPECT_EQ(result.executions[2].ready.count(), 5);
  EXPECT_EQ(result.executions[3].what, (Execution{0, 0, 0, 0, Execution::host, FlowPhase::merge}));
  EXPECT_EQ(result.executions[3].start.count(), 65);
}

TEST(Simulate, parts_on_one_device_with_one_request_run_one_after_the_other) {
  auto shape = pipeline({stage_over({0, 0, 0})}, 1);
  shape.devices[0].requests = 1;
  EXPECT_EQ(simulated(shape, {takes(1, {10, 20, 30}, 2)}), 63);
}

TEST(Simulate, a_part_comes_before_a_later_batch_of_another_stage) {
  // Stage 0 (10 ns) and part 0 of the split stage 1 share device 0, which runs one at a time. Batch 0 is partitioned at
  // 10-12 while batch 1 starts in stage 0 at 10; at 20 the part of batch 0 goes before batch 2.
  auto shape = pipeline({stage_on(0), stage_over({0, 1}, 1, 4)}, 3);
  shape.devices[0].requests = 1;
  const auto result = schedule(shape, {takes(10), takes(2, {5, 5}, 1)});
  EXPECT_THAT(start_times(result, 0), ElementsAre(0, 10, 25));
  EXPECT_EQ(result.visits[1].joined.count(), 25);
}

TEST(Simulate, an_ordered_stage_keeps_a_batch_that_is_done_early) {
  // Batch 0 takes 50, batches 1 and 2 take 10, in two replicas: 1 is done at 10 but leaves with 0 at 50.
  BatchTimes times({{50}, {10}, {10}});
  const auto shape = pipeline({stage_on(0, 2, 2)}, 3);
  const auto result = simulate(shape, times);
  EXPECT_THAT(delivery_times(result), ElementsAre(50, 50, 60));
  EXPECT_EQ(result.visits[1].done.count(), 10);
}

TEST(Simulate, an_unordered_stage_lets_batches_overtake) {
  BatchTimes times({{50}, {10}, {10}});
  auto shape = pipeline({stage_on(0, 2, 2)}, 3);
  shape.stages[0].ordered = false;
  const auto result = simulate(shape, times);
  EXPECT_THAT(delivery_times(result), ElementsAre(50, 10, 20));
  EXPECT_EQ(result.makespan().count(), 50);
}

TEST(Simulate, an_ordered_stage_behind_an_unordered_one_does_not_lock) {
  // Batch 1 comes first into stage 1, which has one replica: order means the order of starts there.
  BatchTimes times({{50, 5}, {10, 5}, {10, 5}});
  auto shape = pipeline({stage_on(0, 2, 2), stage_on(1)}, 3);
  shape.stages[0].ordered = false;
  EXPECT_THAT(delivery_times(simulate(shape, times)), ElementsAre(55, 15, 25));
}

TEST(Simulate, a_slow_fixed_rate_sets_the_beat) {
  auto shape = pipeline({stage_on(0), stage_on(1)}, 4);
  shape.source.open = true;
  const SimulationOptions options{fixed_rate_arrivals(Nanoseconds(100), 4), {}, true};
  const auto result = schedule(shape, {takes(10), takes(30)}, options);
  EXPECT_THAT(delivery_times(result), ElementsAre(40, 140, 240, 340));
  EXPECT_EQ(result.batches[2].arrived.count(), 200);
}

TEST(Simulate, a_rate_above_the_capacity_waits_at_the_source) {
  // One arrival every 10 ns for a stage of 30 ns: the batch arrives at 10·m, enters when the one before it starts.
  auto shape = pipeline({stage_on(0)}, 4);
  shape.source.open = true;
  const auto result = schedule(shape, {takes(30)}, {fixed_rate_arrivals(Nanoseconds(10), 4), {}, true});
  EXPECT_THAT(delivery_times(result), ElementsAre(30, 60, 90, 120));
  EXPECT_EQ(result.batches[3].arrived.count(), 30);
  EXPECT_EQ(result.batches[3].admitted.count(), 60);
}

TEST(Simulate, the_window_of_an_open_source_begins_with_the_first_arrival) {
  auto shape = pipeline({stage_on(0)}, 2);
  shape.source.open = true;
  const auto result = schedule(shape, {takes(30)}, {{Nanoseconds(500), Nanoseconds(600)}, {}, true});
  EXPECT_EQ(result.begin.count(), 500);
  EXPECT_EQ(result.makespan().count(), 130);
}

TEST(Simulate, batches_in_flight_bound_a_closed_loop) {
  // Two in flight through 10 + 10 + 10: a batch enters when the one two before it is delivered.
  auto shape = pipeline({stage_on(0), stage_on(1), stage_on(2)}, 5);
  shape.source.in_flight = 2;
  EXPECT_THAT(delivery_times(schedule(shape, {takes(10), takes(10), takes(10)})), ElementsAre(30, 40, 60, 70, 90));
}

TEST(Simulate, times_of_zero_move_on_at_the_same_instant) {
  EXPECT_EQ(simulated(pipeline({stage_on(0), stage_over({0, 1}), stage_on(2)}, 50),
                      {takes(0), takes(0, {0, 0}, 0), takes(0)}),
            0);
}

TEST(Simulate, replicas_on_different_devices_take_the_free_one) {
  // Replica 0 on device 0, which stage 1 occupies with 90 ns; replica 1 on device 1.
  auto shape = pipeline({stage_on(0), stage_on(0)}, 3);
  shape.stages[0].replicas = {{0}, {1}};
  shape.devices.assign(2, FlowDevice{1});
  const auto result = schedule(shape, {takes(10), takes(90)});
  // Batch 0 runs on device 0, batch 1 beside it on device 1. At 10 batch 0 goes on to stage 1 on device 0, so batch 2
  // takes replica 1 as well.
  EXPECT_EQ(result.visits[0].replica, 0);
  EXPECT_EQ(result.visits[4].replica, 1);
  EXPECT_EQ(result.visits[4].started.count(), 10);
}

TEST(Simulate, without_records_the_window_is_the_same) {
  const auto shape = pipeline({stage_on(0), stage_on(1)}, 100);
  const std::vector<StageTime> times{takes(7), takes(11)};
  const auto bare = schedule(shape, times, {{}, {}, false});
  EXPECT_EQ(bare.makespan(), schedule(shape, times).makespan());
  EXPECT_TRUE(bare.executions.empty() && bare.visits.empty() && bare.batches.empty());
}

TEST(Simulate, refuses_what_cannot_be) {
  const auto shape = pipeline({stage_on(0)}, 2);
  auto endless = shape, open = shape;
  endless.source.batches.reset();
  open.source.open = true;
  const auto refused = [](const FlowShape& of, const std::vector<StageTime>& times,
                          const SimulationOptions& options = {}) {
    return flow_refusal([&] { schedule(of, times, options); });
  };
  EXPECT_EQ(refused(shape, {takes(-1)}), "simulation: batch 0 takes -1 ns in stage 0; a time is 0 or more");
  EXPECT_EQ(refused(shape, {takes(1), takes(1)}), "simulation: there are times for 2 stages; give one per stage, 1");
  EXPECT_EQ(refused(shape, {takes(1, {1, 1}, 1)}), "stage 0: there are times for 2 parts; give one per part, 1");
  EXPECT_EQ(refused(shape, {takes(INT64_MAX)}),
            "simulation: it ends beyond 292 years; use shorter times or fewer batches");
  EXPECT_EQ(refused(shape, {takes(1)}, {{Nanoseconds(0)}, {}, true}),
            "simulation: a closed loop makes its own batches; omit the arrivals");
  EXPECT_EQ(refused(endless, {takes(1)}), "simulation: the source never ends; give the number of batches");
  EXPECT_EQ(refused(open, {takes(1)}, {{Nanoseconds(5), Nanoseconds(4)}, {}, true}),
            "simulation: arrival 1 is before the one before it, or before 0; give them in order");
  EXPECT_EQ(refused(open, {takes(1)}, {{Nanoseconds(-5)}, {}, true}),
            "simulation: arrival 0 is before the one before it, or before 0; give them in order");
  EXPECT_EQ(refused(open, {takes(1)}, {{Nanoseconds(0), Nanoseconds(0)}, {}, true}), "");
  EXPECT_EQ(refused(shape, {takes(1)}, {{}, {{{1, 1}}, {}, {}}, true}),
            "contention: a row of the interference matrix has 2 entries; give one per stage, 1");
}

TEST(Arrivals, a_fixed_rate_is_exact) {
  EXPECT_THAT(fixed_rate_arrivals(Nanoseconds(3), 3), ElementsAre(Nanoseconds(0), Nanoseconds(3), Nanoseconds(6)));
  EXPECT_TRUE(fixed_rate_arrivals(Nanoseconds(3), 0).empty());
  const auto refusal = [](std::int64_t gap, std::int64_t count) {
    const std::string fixed = flow_refusal([&] { fixed_rate_arrivals(Nanoseconds(gap), count); });
    EXPECT_EQ(flow_refusal([&] { poisson_arrivals(Nanoseconds(gap), count, 1); }), fixed);
    return fixed;
  };
  const auto of = [](std::int64_t gap, std::int64_t count) {
    return "source: " + std::to_string(count) + " batches every " + std::to_string(gap) +
           " ns do not fit into the time range; use a shorter period and 0 to 1000000000 batches";
  };
  for (const auto& [gap, count] : {std::pair<std::int64_t, std::int64_t>{-3, 1},
                                   {INT64_MAX, 3},
                                   {3, -1},
                                   {0, 1'000'000'001},
                                   {1'533'333'333'333'333'500, 3}})
    EXPECT_EQ(refusal(gap, count), of(gap, count));
  // Gaps of Poisson arrivals are up to 37 times as long as their mean.
  EXPECT_EQ(flow_refusal([] { fixed_rate_arrivals(Nanoseconds(1'533'333'333'333'000'000), 3); }), "");
  EXPECT_EQ(flow_refusal([] { poisson_arrivals(Nanoseconds(41'000'000'000'000'000), 3, 1); }), "");
  EXPECT_EQ(flow_refusal([] { poisson_arrivals(Nanoseconds(42'000'000'000'000'000), 3, 1); }),
            of(42'000'000'000'000'000, 3));
}

TEST(Arrivals, poisson_gaps_have_the_mean_and_its_spread) {
  constexpr std::int64_t n = 20'000;
  const auto times = poisson_arrivals(Nanoseconds(1'000'000), n, 3);
  EXPECT_EQ(times, poisson_arrivals(Nanoseconds(1'000'000), n, 3));
  EXPECT_NE(times, poisson_arrivals(Nanoseconds(1'000'000), n, 4));
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  // The mean gap has a standard error of 0.7 %; an exponential exceeds its mean with probability 1/e (error 0.34 %).
  EXPECT_NEAR(static_cast<double>(times.back().count()) / (1e6 * n), 1, 0.035);
  int longer = 0;
  for (std::size_t i = 1; i < times.size(); ++i) longer += (times[i] - times[i - 1]).count() > 1'000'000;
  EXPECT_NEAR(longer / static_cast<double>(n), 0.3679, 0.017);
}

}  // namespace
}  // namespace takt
