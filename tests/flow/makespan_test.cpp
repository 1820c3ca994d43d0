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

}  // namespace
}  // namespace takt
