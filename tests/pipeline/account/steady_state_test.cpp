#include <gtest/gtest.h>

#include "pipeline/account/account.h"
#include "pipeline/record/run_words.h"

namespace takt {
namespace {

double cycle_ns(const Accounts& a) { return a.cycle->count() * 1e3; }

TEST(SteadyState, cycle_is_the_longest_stage_time_whatever_its_place) {
  for (const auto& times : {std::vector<std::int64_t>{9, 2, 3}, {2, 9, 3}, {2, 3, 9}}) {
    const auto a = account(simulated_run(pipeline({stage_on(0), stage_on(1), stage_on(2)}, 12),
                                         {takes(times[0]), takes(times[1]), takes(times[2])}));
    EXPECT_DOUBLE_EQ(cycle_ns(a), 9);
    EXPECT_DOUBLE_EQ(*a.throughput_per_s, 1e9 / 9);
    EXPECT_EQ(times[static_cast<std::size_t>(*a.bottleneck)], 9);
    EXPECT_DOUBLE_EQ(*a.margin, 2);  // 9 / 3 − 1
  }
}

TEST(SteadyState, of_stages_that_take_equally_long_the_first_is_the_slowest_and_the_bottleneck) {
  const auto a = account(
      simulated_run(pipeline({stage_on(0), stage_on(1), stage_on(2)}, 3), {{4, 10, 10}, {10, 10, 4}, {10, 10, 10}}));
  EXPECT_EQ(a.batches[0].slowest, 1);
  EXPECT_EQ(a.batches[1].slowest, 0);
  EXPECT_EQ(a.batches[2].slowest, 0);
  for (const BatchAccount& batch : a.batches) EXPECT_EQ(batch.cycle.count(), 10);
  const auto even = account(simulated_run(pipeline({stage_on(0), stage_on(1)}, 12), {takes(10), takes(10)}));
  EXPECT_EQ(even.bottleneck, 0);
  EXPECT_EQ(even.second, 1);
  EXPECT_DOUBLE_EQ(*even.margin, 0);
}

// Three replicas of 9 start together and leave together: 0 0 9 0 0 9 …; the median of single distances would be 0.
TEST(SteadyState, replicas_that_finish_together_are_counted_over_their_pattern) {
  for (const int replicas : {1, 2, 3, 4}) {
    const auto a = account(simulated_run(pipeline({stage_on(0, replicas, 4)}, 24), {takes(12)}));
    EXPECT_DOUBLE_EQ(cycle_ns(a), 12.0 / replicas);
    EXPECT_DOUBLE_EQ(a.stages[0].load.count() * 1e3, 12.0 / replicas);
  }
}

// The first three batches take long; as warm-up they count for the makespan and not for the cycle.
TEST(SteadyState, warm_up_is_left_out_of_the_cycle_alone) {
  std::vector<std::vector<std::int64_t>> times(9, {4});
  for (std::size_t b = 0; b < 3; ++b) times[b] = {100};
  auto run = simulated_run(pipeline({stage_on(0)}, 9), times);
  run.warmup = 3;
  const auto a = account(run);
  EXPECT_EQ(a.window.length().count(), 324);
  EXPECT_DOUBLE_EQ(cycle_ns(a), 4);
  EXPECT_DOUBLE_EQ(*a.throughput_per_s, 1e9 / 4);
  EXPECT_EQ(a.stages[0].total.count(), 324);
  EXPECT_EQ(a.stages[0].time.total.count(), 24);
}

// B is drained long after A has sent its last batch: those departures are left out.
TEST(SteadyState, drain_is_left_out) {
  // Until A is done with its last batch at 8·10 = 80, B delivers every 10; the rest waits for nothing but B's 3.
  std::vector<std::vector<std::int64_t>> times(8, {10, 3});
  const auto a = account(simulated_run(pipeline({stage_on(0), stage_on(1)}, 8), times));
  EXPECT_DOUBLE_EQ(cycle_ns(a), 10);
}

TEST(SteadyState, two_stages_on_one_device_with_one_request_are_bound_by_it) {
  auto shape = pipeline({stage_on(0), stage_on(1), stage_on(0)}, 20);
  shape.devices[0].requests = 1;
  const auto a = account(simulated_run(shape, {takes(5), takes(7), takes(4)}));
  EXPECT_DOUBLE_EQ(cycle_ns(a), 9);
  EXPECT_EQ(*a.bottleneck, 0);  // the longer of the two on the device
  EXPECT_EQ(*a.second, 1);      // not the other one on the same device
  EXPECT_NEAR(*a.margin, 9.0 / 7 - 1, 1e-12);
}

/// One stage that takes `each` ns, before which each batch waits `grows` ns longer than the one before.
Accounts waiting_source(std::int64_t each, std::int64_t grows, int batches) {
  auto shape = pipeline({stage_on(0)}, batches);
  shape.source.open = true;
  SimulationOptions options;
  for (int b = 0; b < batches; ++b) options.arrivals.push_back(Nanoseconds(b * each));
  auto run = simulated_run(shape, {takes(each)}, options);
  for (int b = 0; b < batches; ++b) run.schedule.batches[static_cast<std::size_t>(b)].arrived -= Nanoseconds(b * grows);
  return account(run);
}

TEST(SteadyState, a_wait_that_grows_by_a_twentieth_and_by_three_cycles_is_an_overload) {
  const auto a = waiting_source(2100, 100, 200);  // one comes every 2000
  ASSERT_TRUE(a.overload);
  EXPECT_NEAR(a.overload->in_per_s, 1e9 / 2000, 1e-6);
  EXPECT_NEAR(a.overload->out_per_s, 1e9 / 2100, 1e-6);
  EXPECT_DOUBLE_EQ(a.overload->wait_growth, 0.05);
  EXPECT_FALSE(waiting_source(2100, 99, 200).overload);
  EXPECT_FALSE(waiting_source(2100, 0, 200).overload);
  // From the first to the last of 21 batches it grows by 20 · 300: three cycles of 2000.
  EXPECT_TRUE(waiting_source(2000, 300, 21).overload);
  EXPECT_FALSE(waiting_source(2000, 299, 21).overload);
}

TEST(SteadyState, one_batch_has_a_latency_and_no_cycle) {
  const auto a = account(simulated_run(pipeline({stage_on(0), stage_on(1)}, 1), {takes(4), takes(2)}));
  EXPECT_FALSE(a.cycle);
  EXPECT_FALSE(a.throughput_per_s);
  EXPECT_EQ(a.latency.total.count(), 6);
}

// [0,4] alone, [10,14] and [11,15] side by side, [20,24] alone: 4 alone; with interference the middle ones take longer.
TEST(SteadyState, slowed_compares_with_executions_beside_which_nothing_ran) {
  auto shape = pipeline({stage_on(0, 2, 4)}, 4);
  shape.source.open = true;
  SimulationOptions options;
  options.arrivals = {Nanoseconds(0), Nanoseconds(10), Nanoseconds(10), Nanoseconds(40)};
  options.contention.interference = {{3.0}};
  const auto a = account(simulated_run(shape, {takes(4)}, options));
  EXPECT_DOUBLE_EQ(a.stages[0].alone->count() * 1e3, 4);
  EXPECT_DOUBLE_EQ(a.stages[0].slowed->count() * 1e3, (4 + 12 + 12 + 4) / 4.0 - 4);
}

}  // namespace
}  // namespace takt
