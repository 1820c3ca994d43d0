// Schedules under contention, worked out by hand.
#include "flow/contention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/basics/error.h"
#include "flow/flow_words.h"

namespace takt {
namespace {

using testing::ElementsAre;

SimulationOptions under(ContentionLaw law) { return {{}, std::move(law), true}; }

ContentionLaw sharing(std::vector<double> wanted) {
  return {.interference = {}, .device_curve = {}, .resources = {{PressureLaw::share, wanted, wanted}}};
}

ContentionLaw on_cores(std::vector<double> share, std::vector<std::vector<double>> matrix = {}) {
  return {.interference = std::move(matrix), .device_curve = {}, .core_share = std::move(share)};
}

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
  const auto result = schedule(shape, {takes(100), takes(100), takes(50)}, under(sharing({0.8, 0.6, 0})));
  EXPECT_THAT(leaving_times(result, 0), ElementsAre(100, 240));
  EXPECT_THAT(leaving_times(result, 1), ElementsAre(240, 340));
  EXPECT_THAT(delivery_times(result), ElementsAre(290, 390));
}

TEST(Contention, three_that_want_half_of_a_resource_each_take_half_as_long_again) {
  // Pairs fit; from 200 on all three want 1.5 of it, so that 100 ns of work take 150.
  const auto shape = pipeline({stage_on(0), stage_on(1), stage_on(2)}, 4);
  const auto result = schedule(shape, {takes(100), takes(100), takes(100)}, under(sharing({0.5, 0.5, 0.5})));
  EXPECT_THAT(delivery_times(result), ElementsAre(350, 500, 600, 700));
}

TEST(Contention, replicas_that_want_more_than_there_is_do_as_much_as_two) {
  // n of 0.85 take 0.85·n times as long: as much work per second whatever n.
  for (const int replicas : {2, 3, 4}) {
    const auto shape = pipeline({stage_on(0, replicas, replicas)}, 12);
    EXPECT_EQ(schedule(shape, {takes(1000)}, under(sharing({0.85}))).makespan().count(), 12 * 850) << replicas;
  }
}

TEST(Contention, pressures_on_several_resources_combine_as_described) {
  // Beside the two others stage 0 takes 1 + 0.5·(0.4 + 0.6) by the one and max(1, 0.9 + 0.3 + 0.1) by the other.
  const auto shape = pipeline({stage_on(0), stage_on(1), stage_on(2)}, 1);
  ContentionLaw law;
  law.resources = {{PressureLaw::linear, {0, 0.4, 0.6}, {0.5, 0, 0}}, {PressureLaw::share, {0, 0.3, 0.1}, {0.9, 0, 0}}};
  for (const auto& [how, factor] :
       {std::pair(Combination::multiply, 1.95), {Combination::add, 1.8}, {Combination::largest, 1.5}}) {
    law.combination = how;
    ContentionState state(law, shape);
    for (int stage = 0; stage < 3; ++stage) state.start(stage, stage);
    EXPECT_NEAR(static_cast<double>(state.slowdown(0, 0)) / ContentionState::unit, factor, 1e-8);
    EXPECT_EQ(state.slowdown(1, 1), ContentionState::unit);
  }
}

TEST(Contention, below_saturation_nobody_is_slowed) {
  const auto shape = pipeline({stage_on(0), stage_on(1)}, 2);
  const auto result = schedule(shape, {takes(100), takes(100)}, under(sharing({0.5, 0.5})));
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
  ContentionLaw law{{{1.1, 1.3, 1}, {1.7, 1, 1.9}, {1, 1.2, 1.4}}, {{1, 1.3, 1.6}}};
  law.core_share = {0.3, 0.5, 0.7};
  law.resources = {{PressureLaw::queue, {0.3, 0.2, 0.1}, {0.4, 0.5, 0.6}}};
  ContentionState a(law, shape), b(law, shape);
  for (const int stage : {0, 1, 2, 1, 2}) a.start(stage, stage / 2);
  for (const int stage : {2, 2, 1, 0, 1, 0}) b.start(stage, stage / 2);
  b.stop(0, 0);
  for (int stage = 0; stage < 3; ++stage) EXPECT_EQ(a.slowdown(stage, stage / 2), b.slowdown(stage, stage / 2));
  // Stage 0: 1.6 of three on device 0, of the cores 0.3 + 2·0.5 + 2·0.7 = 2.7; the two of stage 1, with 1.3 each, run
  // beside it for (1 − 0.3) / (2.7 − 0.3) of the time.
  const double beside = 1 + 0.3 * 0.7 / 2.4;
  const double queue = 1 + 0.4 * 0.6 / (5 - 4 * 0.6);  // 2·0.2 + 2·0.1
  EXPECT_NEAR(static_cast<double>(a.slowdown(0, 0)) / ContentionState::unit, beside * beside * 1.6 * 2.7 * queue, 1e-7);
}

TEST(ContentionState, who_takes_turns_on_the_cores_does_not_run_beside) {
  const auto shape = pipeline({stage_on(0, 4), stage_on(1)}, 1);
  // One thread each of two cores; a thread slows another one down to 1.5.
  ContentionState cores(on_cores({0.5, 0}, {{1.5, 1}, {1.5, 1}}), shape);
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
  ContentionState cores(on_cores({1}, {{1.5}}), shape);
  cores.start(0, 0), cores.start(0, 0);
  EXPECT_NEAR(static_cast<double>(cores.slowdown(0, 0)) / ContentionState::unit, 2, 1e-8);
}

/// Of stage 0 while so many of each stage run, itself among them.
double slow_down_beside(const ContentionLaw& law, const std::vector<int>& running) {
  std::vector<int> others;
  for (std::size_t s = 0; s < running.size(); ++s)
    others.insert(others.end(), static_cast<std::size_t>(running[s] - (s == 0 ? 1 : 0)), static_cast<int>(s));
  return slow_down_of(law, static_cast<int>(running.size()), 0, others);
}

TEST(ContentionState, of_measured_pairs_several_do_between_the_largest_and_the_product) {
  ContentionLaw law = interference({{1, 1.5, 1.2}, {1, 1, 1}, {1, 1, 1}});
  law.several.assign(3, BesideSeveral{1});
  EXPECT_NEAR(slow_down_beside(law, {1, 1, 1}), 1.8, 1e-8);
  law.several[0]->weaker_share = 0.5;
  EXPECT_NEAR(slow_down_beside(law, {1, 1, 1}), 1.5 * std::sqrt(1.2), 1e-8);
  law.several[0]->weaker_share = 0;
  EXPECT_NEAR(slow_down_beside(law, {1, 1, 1}), 1.5, 1e-8);
  EXPECT_EQ(slow_down_beside(law, {1, 0, 1}), 1.2) << "a pair is what was measured";
}

TEST(ContentionState, replicas_together_never_do_less_than_two_of_them) {
  ContentionLaw law = interference({{1.7}});
  law.several.assign(1, BesideSeveral{});
  EXPECT_EQ(slow_down_beside(law, {2}), 1.7);
  EXPECT_NEAR(slow_down_beside(law, {3}), 1.7 * 3 / 2, 1e-8);
  EXPECT_NEAR(slow_down_beside(law, {4}), 1.7 * 4 / 2, 1e-8);
  law.interference = {{1.2}};
  EXPECT_NEAR(slow_down_beside(law, {3}), 1.2 * 1.2, 1e-8) << "what is far from full";
  law.interference = {{1.7}};
  law.several.assign(1, BesideSeveral{1});
  EXPECT_NEAR(slow_down_beside(law, {4}), 1.7 * 1.7 * 1.7, 1e-8) << "where they are said to multiply";
  law.several.clear();
  EXPECT_NEAR(slow_down_beside(law, {4}), 1.7 * 1.7 * 1.7, 1e-8) << "a rule is a rule";
}

/// Straight up to twice the time at full pressure.
BesideSeveral pressing(double pressure) {
  const double levels[] = {0.5, 1}, slow_downs[] = {1.5, 2};
  return {1, {{SlowDownCurve(levels, slow_downs)}, {pressure}, 1}};
}

TEST(ContentionState, pressures_that_were_measured_add_up_too) {
  ContentionLaw law = interference({{1, 1.3, 1.4}, {1, 1, 1}, {1, 1, 1}});
  law.several = {pressing(0), pressing(0.3), pressing(0.4)};
  EXPECT_EQ(slow_down_beside(law, {1, 1, 0}), 1.3);
  EXPECT_NEAR(slow_down_beside(law, {1, 1, 1}), 1.7, 1e-6);
  EXPECT_NEAR(slow_down_beside(law, {1, 2, 2}), 2.4, 1e-6) << "beyond the load as steep as before";
  law.several[2].reset();  // of which only the pair is known
  EXPECT_NEAR(slow_down_beside(law, {1, 1, 1}), 1.3 * 1.4, 1e-6);
  law.several[2] = pressing(0);
  EXPECT_NEAR(slow_down_beside(law, {1, 1, 1}), 1.4, 1e-6) << "never less than one of them alone does";
}

TEST(ContentionState, refuses_what_cannot_be) {
  const auto shape = pipeline({stage_on(0), stage_on(1)}, 1);
  const auto with = [](std::vector<std::optional<BesideSeveral>> several) {
    ContentionLaw law = interference({{1, 1}, {1, 1}});
    law.several = std::move(several);
    return law;
  };
  struct Case {
    ContentionLaw law;
    std::string why;
  };
  const std::string matrix = "the interference matrix", each = "; give one per stage, 2", share = "; use 0 to 1";
  for (const Case& one : std::vector<Case>{
           {interference({{1, 1}}), matrix + " has 1 rows" + each},
           {interference({{1, 1}, {1, 1, 1}}), "a row of " + matrix + " has 3 entries" + each},
           {interference({{1, 0}, {1, 1}}), matrix + " has the factor 0; use 0.01 to 1000000"},
           {interference({{1, 1}, {1, std::nan("")}}), matrix + " has the factor nan; use 0.01 to 1000000"},
           {{{}, {{1}, {1}, {1}}, {}}, "there are curves for 3 devices; the pipeline has 2"},
           {{{}, {{1, 1e7}}, {}}, "a device's curve has the factor 10000000; use 0.01 to 1000000"},
           {sharing({1}), "pressures on a shared resource of 1 stages are given" + each},
           {sharing({1, 1.5}), "pressures on a shared resource are 1.5" + share},
           {{{}, {}, {{PressureLaw::linear, {1, 1}, {1, 1, 1}}}},
            "sensitivities to a shared resource of 3 stages are given" + each},
           {{{}, {}, {{PressureLaw::linear, {1, 1}, {-0.5, 1}}}},
            "sensitivities to a shared resource are -0.5" + share},
           {on_cores({1}), "shares of the cores of 1 stages are given" + each},
           {on_cores({1, 1.25}), "shares of the cores are 1.25" + share},
           {with(std::vector<std::optional<BesideSeveral>>(1)),
            "slowdowns by several stages are given for 1 stages; give them for 2"},
           {with({std::nullopt, BesideSeveral{1.5}}), "the share of weaker slowdowns is 1.5" + share},
           {with({std::nullopt, BesideSeveral{-0.5}}), "the share of weaker slowdowns is -0.5" + share},
           {with({BesideSeveral{1, {{}, {0.5}, 1}}, std::nullopt}),
            "a stage has different numbers of pressures and sensitivities; give one of each per resource"}})
    EXPECT_EQ(flow_refusal([&] { ContentionState(one.law, shape); }), "contention: " + one.why);
  EXPECT_EQ(flow_refusal([&] { ContentionState(with({BesideSeveral{0}, BesideSeveral{1}}), shape); }), "");
  EXPECT_EQ(flow_refusal([&] { ContentionState(interference({{0.01, 1e6}, {1, 1}}), shape); }), "");
}

}  // namespace
}  // namespace takt
