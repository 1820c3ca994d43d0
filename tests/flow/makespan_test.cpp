#include "flow/makespan.h"
#include "base/statistics/random.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "flow/flow_words.h"
#include "flow/random_pipeline.h"

namespace takt {
namespace {

std::vector<Nanoseconds> totals(const std::vector<StageTime>& times) {
  std::vector<Nanoseconds> sums;
  for (const auto& time : times) sums.push_back(time.total());
  return sums;
}

/// times[batch · stages + stage], which a split stage takes in its last part, with nothing in the others.
class GivenTimes final : public ServiceTimes {
 public:
  GivenTimes(const FlowShape& shape, const std::vector<Nanoseconds>& times) : shape_(shape), times_(times) {}
  Nanoseconds service(const Execution& what) override {
    const auto stage = static_cast<std::size_t>(what.stage);
    const bool bears = what.phase == FlowPhase::run && what.part == shape_.stages[stage].parts() - 1;
    if (!bears) return Nanoseconds(0);
    return times_[static_cast<std::size_t>(what.batch) * shape_.stages.size() + stage];
  }

 private:
  const FlowShape& shape_;
  const std::vector<Nanoseconds>& times_;
};

std::vector<Nanoseconds> random_batch_times(const FlowShape& shape, std::uint64_t seed) {
  Random random(seed);
  std::vector<Nanoseconds> times(static_cast<std::size_t>(*shape.source.batches) * shape.stages.size());
  const std::uint64_t most = seed % 2 == 0 ? 8 : 1'000'000;
  for (auto& time : times) time = Nanoseconds(static_cast<std::int64_t>(random() % most));
  return times;
}

std::int64_t fast(const FlowShape& shape, const std::vector<StageTime>& times) {
  return MakespanCalculator().fixed(shape, totals(times)).value().count();
}

TEST(Makespan, is_the_sum_and_the_slowest_for_each_further_batch) {
  const auto shape = pipeline({stage_on(0), stage_on(1), stage_on(2)}, 10);
  EXPECT_EQ(fast(shape, {takes(10), takes(30), takes(20)}), 60 + 9 * 30);
}

TEST(Makespan, equals_the_simulation_on_five_thousand_random_chains) {
  MakespanCalculator calculator;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    const auto shape = random_chain(seed, 1 + static_cast<std::int64_t>(seed % 60));
    const auto times = random_times(shape, seed);
    FixedTimes fixed(shape, times);
    const auto exact = simulate(shape, fixed, {{}, {}, false}).makespan();
    ASSERT_EQ(calculator.fixed(shape, totals(times)), exact) << "seed " << seed;
  }
}

TEST(Makespan, equals_the_simulation_with_a_time_of_its_own_for_every_batch) {
  MakespanCalculator calculator;
  int longer_queues_helped = 0;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    auto shape = random_chain(seed, 1 + static_cast<std::int64_t>(seed % 60));
    for (auto& stage : shape.stages) stage.ordered = true;
    const auto drawn = random_batch_times(shape, seed);
    GivenTimes times(shape, drawn);
    const auto exact = simulate(shape, times, {{}, {}, false}).makespan();
    ASSERT_EQ(calculator.ordered(shape, drawn), exact) << "seed " << seed;
    for (auto& stage : shape.stages) stage.queue = 60;
    longer_queues_helped += calculator.ordered(shape, drawn) < exact;
  }
  EXPECT_GT(longer_queues_helped, 500);  // the agreement is also about blocking
}

TEST(Makespan, does_not_follow_batches_that_may_overtake) {
  auto shape = pipeline({stage_on(0, 2)}, 1);
  EXPECT_EQ(MakespanCalculator().ordered(shape, std::vector{Nanoseconds(5)}), Nanoseconds(5));
  EXPECT_EQ(flow_refusal([&] { MakespanCalculator().ordered(shape, std::vector<Nanoseconds>(2)); }),
            "makespan: there are 2 times for 1 batches in 1 stages; give one for each batch in each stage");
  EXPECT_EQ(flow_refusal([&] { MakespanCalculator().ordered(shape, std::vector{Nanoseconds(-5)}); }),
            "stage 0: it takes -5 ns; a time is 0 or more");
  shape.stages[0].ordered = false;
  EXPECT_FALSE(MakespanCalculator().ordered(shape, std::vector{Nanoseconds(5)}));
}

TEST(Makespan, has_no_fast_way_where_stages_queue_for_a_device_or_batches_come_by_themselves) {
  auto shape = pipeline({stage_on(0, 2), stage_on(0)}, 10);
  const std::vector<Nanoseconds> times(2, Nanoseconds(10));
  shape.devices[0].requests = 3;
  EXPECT_TRUE(MakespanCalculator().fixed(shape, times));
  shape.devices[0].requests = 2;
  EXPECT_FALSE(MakespanCalculator().fixed(shape, times));
  shape.devices[0].requests.reset();
  shape.source.open = true;
  EXPECT_FALSE(MakespanCalculator().fixed(shape, times));
}

TEST(Makespan, refuses_what_cannot_be) {
  const auto shape = pipeline({stage_on(0)}, 10);
  MakespanCalculator calculator;
  const auto of_fixed = [&](const std::vector<Nanoseconds>& times) {
    return flow_refusal([&] { calculator.fixed(shape, times); });
  };
  EXPECT_EQ(of_fixed({}), "makespan: there are times for 0 stages; give one per stage, 1");
  EXPECT_EQ(of_fixed({Nanoseconds(-1)}), "stage 0: it takes -1 ns; a time is 0 or more");
  EXPECT_EQ(of_fixed({Nanoseconds(INT64_MAX / 9)}),
            "makespan: it ends beyond 292 years; use shorter times or fewer batches");
  EXPECT_EQ(of_fixed({Nanoseconds(INT64_MAX / 10)}), "");
  auto endless = shape;
  endless.source.batches.reset();
  EXPECT_EQ(flow_refusal([&] { makespan_lower_bound(endless, {takes(1)}); }),
            "makespan: the source never ends; give the number of batches");
  auto nothing = shape;
  nothing.stages.clear();
  struct Case {
    FlowShape shape;
    std::vector<StageTime> times;
    const char* why;
  };
  for (const Case& one :
       {Case{nothing, {}, "pipeline: it has no stage; describe at least one"},
        {shape, {}, "makespan: there are times for 0 stages; give one per stage, 1"},
        {shape, {takes(1), takes(1)}, "makespan: there are times for 2 stages; give one per stage, 1"},
        {shape, {takes(-3)}, "stage 0: it takes -3 ns; a time is 0 or more"},
        {shape, {takes(1, {1, 1}, 1)}, "stage 0: there are times for 2 parts; give one per part, 1"},
        {shape, {takes(-4, {1}, 1)}, "stage 0: it takes -4 ns; a time is 0 or more"},
        {shape, {takes(1, {1}, -5)}, "stage 0: it takes -5 ns; a time is 0 or more"}}) {
    EXPECT_EQ(flow_refusal([&] { makespan_lower_bound(one.shape, one.times); }), one.why);
    EXPECT_EQ(flow_refusal([&] { steady_cycle(one.shape, one.times); }), one.why);
  }
  EXPECT_EQ(calculator.fixed(pipeline({stage_on(0)}, 0), std::vector{Nanoseconds(5)}), Nanoseconds(0));
}

TEST(Makespan, a_slower_stage_never_ends_earlier) {
  MakespanCalculator calculator;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto shape = random_chain(seed, 40);
    auto times = totals(random_times(shape, seed));
    const auto before = calculator.fixed(shape, times);
    times[seed % times.size()] += Nanoseconds(1 + static_cast<std::int64_t>(seed % 7));
    EXPECT_GE(calculator.fixed(shape, times), before) << "seed " << seed;
  }
}

TEST(Makespan, more_replicas_longer_queues_and_more_in_flight_never_end_later) {
  MakespanCalculator calculator;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    auto shape = random_chain(seed, 40);
    const auto times = totals(random_times(shape, seed));
    auto before = calculator.fixed(shape, times);
    const auto no_later = [&] {
      const auto now = calculator.fixed(shape, times);
      EXPECT_LE(now, before) << "seed " << seed;
      before = now;
    };
    auto& stage = shape.stages[seed % shape.stages.size()];
    stage.replicas.push_back(stage.replicas.front());
    no_later();
    ++stage.queue;
    no_later();
    if (shape.source.in_flight) ++*shape.source.in_flight;
    no_later();
  }
}

TEST(MakespanLowerBound, is_met_by_single_replicas_with_room) {
  const auto shape = pipeline({stage_on(0), stage_on(1, 1, 10), stage_on(2, 1, 10)}, 10);
  EXPECT_EQ(makespan_lower_bound(shape, {takes(10), takes(30), takes(20)}).count(), 60 + 9 * 30);
}

TEST(MakespanLowerBound, counts_the_work_of_a_shared_device) {
  // 4 batches · (10 + 20) ns of work for two requests.
  auto shape = pipeline({stage_on(0, 4, 4), stage_on(0, 4, 4)}, 4);
  shape.devices[0].requests = 2;
  EXPECT_EQ(makespan_lower_bound(shape, {takes(10), takes(20)}).count(), 60);
}

TEST(MakespanLowerBound, counts_whole_rounds_of_replicas_and_of_requests) {
  // Ten batches on three replicas: the first takes all, three rounds of 30 follow.
  EXPECT_EQ(makespan_lower_bound(pipeline({stage_on(0), stage_on(1, 3, 10)}, 10), {takes(1), takes(30)}).count(),
            31 + 3 * 30);
  auto shared = pipeline({stage_on(0, 3, 3)}, 3);
  shared.devices[0].requests = 2;
  EXPECT_EQ(makespan_lower_bound(shared, {takes(5)}).count(), 8) << "half of 15, whole nanoseconds";
  auto elsewhere = shared;
  elsewhere.devices.emplace_back();
  elsewhere.stages[0].replicas[2] = {1};
  EXPECT_EQ(makespan_lower_bound(elsewhere, {takes(5)}).count(), 5) << "no device surely does the work";
  EXPECT_EQ(makespan_lower_bound(pipeline({stage_on(0)}, 0), {takes(5)}).count(), 0);
}

TEST(SteadyCycle, of_few_batches_in_flight_is_their_share_of_the_longest_way) {
  auto shape = pipeline({stage_on(0), stage_on(1, 2, 2)}, 10);
  EXPECT_DOUBLE_EQ(steady_cycle(shape, {takes(1000), takes(3000)}).count(), 1.5);
  shape.source.in_flight = 2;
  EXPECT_DOUBLE_EQ(steady_cycle(shape, {takes(1000), takes(3000)}).count(), 2);
  shape.source.in_flight = 1;
  EXPECT_DOUBLE_EQ(steady_cycle(shape, {takes(1000), takes(3000)}).count(), 4);
}

TEST(MakespanLowerBound, is_below_every_simulation) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    auto shape = random_pipeline(seed).shape;
    shape.source.open = false;
    const auto times = random_times(shape, seed);
    EXPECT_LE(makespan_lower_bound(shape, times).count(), simulated(shape, times)) << "seed " << seed;
  }
}

TEST(SteadyCycle, is_the_beat_of_a_long_run) {
  MakespanCalculator calculator;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    auto shape = random_chain(seed, 5000);
    const auto times = random_times(shape, seed);
    const auto sums = totals(times);
    const auto longer = calculator.fixed(shape, sums).value();
    shape.source.batches = 2500;
    const auto shorter = calculator.fixed(shape, sums).value();
    // The beat may repeat only every few batches: both ends are off by less than one passage.
    Nanoseconds passage{};
    for (const auto sum : sums) passage += sum;
    EXPECT_NEAR(Duration(longer - shorter).count(), 2500 * steady_cycle(shape, times).count(),
                Duration(passage).count() + 1e-9)
        << "seed " << seed;
  }
}

TEST(SteadyCycle, of_a_shared_device_is_its_work_per_batch) {
  auto shape = pipeline({stage_on(0), stage_on(0)}, 10);
  shape.devices[0].requests = 1;
  EXPECT_DOUBLE_EQ(steady_cycle(shape, {takes(1000), takes(2000)}).count(), 3);
  shape.devices[0].requests = 2;
  EXPECT_DOUBLE_EQ(steady_cycle(shape, {takes(1000), takes(2000)}).count(), 2);
}

TEST(MakespanLowerBound, is_never_above_the_simulation_of_random_graphs) {
  int met = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    auto input = random_graph(seed);
    auto& shape = input.shape;
    shape.source.open = false;
    const auto times = random_times(shape, seed);
    EXPECT_EQ(has_fast_makespan(shape) && !is_chain(shape), false);
    const auto exact = simulated(shape, times);
    const auto bound = makespan_lower_bound(shape, times).count();
    ASSERT_LE(bound, exact) << "seed " << seed;
    met += bound == exact;
  }
  EXPECT_GT(met, 100);
}

}  // namespace
}  // namespace takt
