// Schedules under contention, worked out by hand.
#include "flow/contention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "flow/flow_words.h"

namespace takt {
namespace {

using testing::ElementsAre;

SimulationOptions under(ContentionLaw law) { return {{}, std::move(law), true}; }

ContentionLaw interference(std::vector<std::vector<double>> matrix) { return {std::move(matrix), {}, {}}; }

TEST(Contention, two_stages_at_half_speed_beside_each_other) {
  // Batch 0 has stage 0 for itself until 100. Then stage 0 (batch 1) and stage 1 (batch 0) take 200 for 100 ns of work.
  const auto shape = pipeline({stage_on(0), stage_on(1)}, 2);
  const auto result = schedule(shape, {takes(100), takes(100)}, under(interference({{1, 2}, {2, 1}})));
  EXPECT_THAT(delivery_times(result), ElementsAre(300, 400));
}

TEST(Contention, what_remains_goes_on_at_full_speed) {
  // From 100 both at half speed: stage 1 does its 60 until 220; stage 0 has done 60 of 100 by then and needs 40 more.
  const auto shape = pipeline({stage_on(0), stage_on(1)}, 2);
  const auto result = schedule(shape, {takes(100), takes(60)}, under(interference({{1, 2}, {2, 1}})));
  EXPECT_THAT(leaving_times(result, 0), ElementsAre(100, 260));
  EXPECT_THAT(delivery_times(result), ElementsAre(220, 320));
}

TEST(Contention, only_the_stage_that_suffers_is_slowed) {
  // Stage 1 beside stage 0 at a third of its speed: 33 1/3 of 60 done from 100 to 200, 26 2/3 remain: 226 2/3 → 227.
  const auto shape = pipeline({stage_on(0), stage_on(1)}, 2);
  const auto result = schedule(shape, {takes(100), takes(60)}, under(interference({{1, 1}, {3, 1}})));
  EXPECT_THAT(leaving_times(result, 0), ElementsAre(100, 200));
  EXPECT_THAT(delivery_times(result), ElementsAre(227, 287));
}

TEST(Contention, a_stage_suffers_from_its_own_replicas_by_the_diagonal) {
  const auto shape = pipeline({stage_on(0, 2, 2)}, 2);
  const auto result = schedule(shape, {takes(100)}, under(interference({{1.5}})));
  EXPECT_THAT(delivery_times(result), ElementsAre(150, 150));
}

TEST(Contention, a_device_shares_its_time) {
  // 100 and 50 ns of work at half speed: the short one is done at 100, the long one has 50 left.
  BatchTimes times({{100}, {50}});
  const auto shape = pipeline({stage_on(0, 2, 2)}, 2);
  const auto result = simulate(shape, times, under({{}, {{1, 2}}, {}}));
  EXPECT_EQ(result.visits[1].done.count(), 100);
  EXPECT_EQ(result.visits[0].done.count(), 150);
}

TEST(Contention, beyond_its_curve_a_device_does_no_more_work) {
  // Two at once take 1.5 times as long (4/3 of the work per second); four then take 3 times as long.
  const auto shape = pipeline({stage_on(0, 4, 4)}, 4);
  EXPECT_EQ(schedule(shape, {takes(100)}, under({{}, {{1, 1.5}}, {}})).makespan().count(), 300);
}

TEST(Contention, a_saturated_resource_is_shared_in_proportion) {
  // 0.8 + 0.6 of the bandwidth: both 1.4 times as long from 100 on; the third stage does not use it.
  const auto shape = pipeline({stage_on(0), stage_on(1), stage_on(2)}, 2);
  const auto result = schedule(shape, {takes(100), takes(100), takes(50)}, under({{}, {}, {{{0.8, 0.6, 0}}}}));
  EXPECT_THAT(leaving_times(result, 0), ElementsAre(100, 240));
  EXPECT_THAT(leaving_times(result, 1), ElementsAre(240, 340));
  EXPECT_THAT(delivery_times(result), ElementsAre(290, 390));
}

TEST(Contention, below_saturation_nobody_is_slowed) {
  const auto shape = pipeline({stage_on(0), stage_on(1)}, 2);
  const auto result = schedule(shape, {takes(100), takes(100)}, under({{}, {}, {{{0.5, 0.5}}}}));
  EXPECT_THAT(delivery_times(result), ElementsAre(200, 300));
}

TEST(Contention, partition_and_merge_are_on_the_host_and_keep_their_speed) {
  // The two parts, of the same stage, slow each other down twofold; partition and merge do not.
  const auto shape = pipeline({stage_over({0, 1})}, 1);
  EXPECT_EQ(schedule(shape, {takes(10, {100, 100}, 20)}, under(interference({{2}}))).makespan().count(), 230);
}

TEST(Contention, factors_of_one_change_nothing) {
  const auto shape = pipeline({stage_on(0, 3, 2), stage_over({0, 1}, 2), stage_on(1)}, 30);
  const std::vector<StageTime> times{takes(31), takes(3, {17, 23}, 5), takes(12)};
  const auto law = under({std::vector(3, std::vector<double>(3, 1)), {{1, 1, 1, 1, 1, 1}, {1}}, {}});
  auto never_full = shape;
  never_full.devices[1].requests = 1;
  EXPECT_EQ(delivery_times(schedule(never_full, times)), delivery_times(schedule(never_full, times, law)));
}

TEST(Contention, rescaling_many_times_loses_nothing) {
  // A long execution beside a thousand short ones, each with a gap: a factor of 3 for 1000·3 ns, none for 1000·1 ns.
  auto shape = pipeline({stage_on(0, 2)}, 1001);
  shape.stages[0].ordered = false;
  shape.source.open = true;
  auto options = under(interference({{3}}));
  options.arrivals.emplace_back(0);
  for (int i = 0; i < 1000; ++i) options.arrivals.emplace_back(1 + 4 * i);
  std::vector<std::vector<std::int64_t>> times(1001, {1});
  times[0] = {100'000};
  BatchTimes service(times);
  // Each short one does its 1 ns in 3; the long one does 1 of work in those 3, and 1 in the gap of 1 behind it:
  // 1 + 1000·(1 + 1) done at 4001, 97,999 left.
  EXPECT_EQ(simulate(shape, service, options).makespan().count(), 4001 + 97'999);
}

TEST(ContentionState, depends_on_what_runs_not_on_the_order_of_starts) {
  const auto shape = pipeline({stage_on(0, 4), stage_on(0, 4), stage_on(1, 4)}, 1);
  const ContentionLaw law{{{1.1, 1.3, 1}, {1.7, 1, 1.9}, {1, 1.2, 1.4}}, {{1, 1.3, 1.6}}, {{{0.3, 0.5, 0.7}}}};
  ContentionState a(law, shape), b(law, shape);
  for (const int stage : {0, 1, 2, 1, 2}) a.start(stage, stage / 2);
  for (const int stage : {2, 2, 1, 0, 1, 0}) b.start(stage, stage / 2);
  b.stop(0, 0);
  for (int stage = 0; stage < 3; ++stage) EXPECT_EQ(a.slowdown(stage, stage / 2), b.slowdown(stage, stage / 2));
  // Stage 0: 1.6 of three on device 0, Σ demand 0.3 + 2·0.5 + 2·0.7 = 2.7; the two of stage 1, with 1.3 each, run
  // beside it for (1 − 0.3) / (2.7 − 0.3) of the time.
  const double beside = 1 + 0.3 * 0.7 / 2.4;
  EXPECT_NEAR(static_cast<double>(a.slowdown(0, 0)) / ContentionState::unit, beside * beside * 1.6 * 2.7, 1e-8);
}

TEST(ContentionState, who_takes_turns_on_the_cores_does_not_run_beside) {
  const auto shape = pipeline({stage_on(0, 4), stage_on(1)}, 1);
  // One thread each of two cores; a thread slows another one down to 1.5.
  ContentionState cores({{{1.5, 1}, {1.5, 1}}, {}, {{{0.5, 0}}}}, shape);
  const auto slowdown = [&](int stage) {
    return static_cast<double>(cores.slowdown(stage, stage)) / ContentionState::unit;
  };
  cores.start(0, 0), cores.start(0, 0);
  EXPECT_NEAR(slowdown(0), 1.5, 1e-8);
  cores.start(0, 0);
  EXPECT_NEAR(slowdown(0), 1.5 * 1.25 * 1.25, 1e-8);  // 3 / 2 of the time, one of the two others beside it
  cores.start(1, 1);
  EXPECT_NEAR(slowdown(1), 1.5 * 1.5 * 1.5, 1e-8);  // it needs no core, so that all three are beside it
}

TEST(ContentionState, whole_cores_are_never_beside_each_other) {
  const auto shape = pipeline({stage_on(0, 2)}, 1);
  ContentionState cores({{{1.5}}, {}, {{{1}}}}, shape);
  cores.start(0, 0), cores.start(0, 0);
  EXPECT_NEAR(static_cast<double>(cores.slowdown(0, 0)) / ContentionState::unit, 2, 1e-8);
}

TEST(ContentionState, refuses_what_cannot_be) {
  const auto shape = pipeline({stage_on(0), stage_on(1)}, 1);
  EXPECT_THROW(ContentionState({{{1, 1}}, {}, {}}, shape), Error);
  EXPECT_THROW(ContentionState({{{1, 1}, {1}}, {}, {}}, shape), Error);
  EXPECT_THROW(ContentionState({{{1, 0}, {1, 1}}, {}, {}}, shape), Error);
  EXPECT_THROW(ContentionState({{{1, std::nan("")}, {1, 1}}, {}, {}}, shape), Error);
  EXPECT_THROW(ContentionState({{}, {{1}, {1}, {1}}, {}}, shape), Error);
  EXPECT_THROW(ContentionState({{}, {{1, 1e7}}, {}}, shape), Error);
  EXPECT_THROW(ContentionState({{}, {}, {{{1}}}}, shape), Error);
  EXPECT_THROW(ContentionState({{}, {}, {{{1, 1.5}}}}, shape), Error);
}

}  // namespace
}  // namespace takt
