#include "plan/estimate/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "flow/makespan.h"
#include "plan/search/plan_words.h"
#include "plan/search/random_plan.h"

namespace takt {
namespace {

using testing::HasSubstr;

Plan plan(const std::string& text) { return parse_plan(text, "a test's plan"); }

std::int64_t simulated_makespan(const PlanFlow& flow) {
  FixedTimes fixed(flow.shape, flow.times);
  return simulate(flow.shape, fixed, {{}, flow.contention, false}).makespan().count();
}

std::string estimate_refusal(const std::string& text, const PlanCosts& costs, std::int64_t batches = 1) {
  try {
    estimate(plan(text), costs, batches);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// CPU 10, 20, 30, 40 and GPU 4, 8, 12, 16 in stages 1 to 4; moving to the GPU takes 3, back to the host 5.
PlanCostTable four_stages() {
  auto costs = costs_of({{10, 20, 30, 40}, {4, 8, 12, 16}}, {"CPU", "GPU"});
  for (int cut = 0; cut <= 4; ++cut) {
    costs.set_transfer(cut, PlanCosts::host, 1, Nanoseconds(3));
    costs.set_transfer(cut, 0, 1, Nanoseconds(3));
    costs.set_transfer(cut, 1, PlanCosts::host, Nanoseconds(5));
    costs.set_transfer(cut, 1, 0, Nanoseconds(5));
  }
  costs.set_divide({Nanoseconds(2), Nanoseconds(1)});
  return costs;
}

TEST(PlanEstimate, of_one_unit_is_its_time_and_what_moves_batches_there_and_back) {
  const auto cpu = estimate(plan("CPU[1-4]"), four_stages(), 10);
  EXPECT_EQ(cpu.latency.count(), 100);
  EXPECT_EQ(cpu.makespan.count(), 1000);
  const auto gpu = estimate(plan("GPU[1-4]"), four_stages(), 10);
  EXPECT_EQ(gpu.latency.count(), 3 + 40 + 5);
  EXPECT_EQ(gpu.makespan.count(), 48 + 9 * 40);  // copies go on while the GPU computes
  EXPECT_DOUBLE_EQ(gpu.throughput().value(), 10 / 408e-9);
}

TEST(PlanEstimate, of_two_blocks_overlaps_batches) {
  const auto two = estimate(plan("CPU[1-2] | GPU[3-4]"), four_stages(), 10);
  EXPECT_EQ(two.latency.count(), 30 + 3 + 28 + 5);
  EXPECT_EQ(two.makespan.count(), 66 + 9 * 30);
  ASSERT_EQ(two.times.blocks.size(), 2u);
  EXPECT_EQ(two.times.blocks[1].transfer.count(), 3);
  EXPECT_EQ(two.times.result_transfer.count(), 5);
}

TEST(PlanEstimate, of_a_divided_block_waits_for_its_longest_part) {
  const auto divided = estimate(plan("CPU+GPU[1-4 0.25/0.75]"), four_stages(), 10);
  EXPECT_EQ(divided.times.blocks[0].time.parts, (std::vector{Nanoseconds(25), Nanoseconds(30)}));
  EXPECT_EQ(divided.latency.count(), 2 + 30 + 1);  // it begins and ends on the host
  EXPECT_EQ(divided.makespan.count(), 330);
}

TEST(PlanEstimate, has_blocks_on_the_same_unit_take_turns) {
  const auto turns =
      estimate(plan("CPU[1] | GPU[2] | CPU[3]"), costs_of({{10, 20, 30}, {4, 8, 12}}, {"CPU", "GPU"}), 10);
  EXPECT_EQ(turns.latency.count(), 10 + 8 + 30);
  EXPECT_GE(turns.makespan.count(), 10 * 40);  // the CPU works 40 for every batch
}

TEST(PlanEstimate, slows_down_blocks_that_run_beside_each_other) {
  auto costs = costs_of({{10, 10}, {10, 10}}, {"CPU", "GPU"});
  costs.set_slow_down(0, 1, 2);
  costs.set_slow_down(1, 0, 2);
  // One alone for 10; then both at half speed for 20, eight more times; the last alone for 10 again.
  const auto estimated = estimate(plan("CPU[1] | GPU[2]"), costs, 10);
  EXPECT_EQ(estimated.latency.count(), 20);
  EXPECT_EQ(estimated.makespan.count(), 10 + 9 * 20 + 10);
  EXPECT_EQ(estimate(plan("CPU+GPU[1-2 0.5/0.5]"), costs, 1).latency.count(), 20);
}

TEST(PlanEstimate, is_the_simulation_and_the_recurrence_on_random_plans_to_the_nanosecond) {
  MakespanCalculator recurrence;
  int by_recurrence = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const bool once = seed % 3 != 0;
    const auto costs = random_costs(seed, {.slow_downs = seed % 5 == 0});
    const Plan random = random_plan(seed, costs, once);
    const std::int64_t batches = 1 + static_cast<std::int64_t>(seed % 40);
    const auto blocks = placed(random, costs);
    const auto estimated = estimate(random, costs, batches);
    const PlanFlow flow = flow_of(blocks, estimated.times, costs, batches);
    ASSERT_EQ(estimated.makespan.count(), simulated_makespan(flow)) << seed << ": " << to_string(random);
    ASSERT_EQ(estimated.latency.count(), simulated_makespan(flow_of(blocks, estimated.times, costs, 1)));
    ASSERT_GE(estimated.makespan, undisturbed_makespan(estimated.times, batches));
    ASSERT_GE(estimated.makespan, least_makespan(blocks, estimated.times, costs, batches)) << seed;
    if (!flow.contention.empty()) continue;
    std::vector<Nanoseconds> totals;
    for (const StageTime& time : flow.times) totals.push_back(time.total());
    if (const auto exact = recurrence.fixed(flow.shape, totals)) {
      ASSERT_EQ(estimated.makespan, *exact) << seed << ": " << to_string(random);
      ++by_recurrence;
    }
  }
  EXPECT_GT(by_recurrence, 300);
}

TEST(PlanEstimate, of_blocks_that_want_the_same_resource_is_never_below_its_bound) {
  int three = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto costs = with_random_wants(random_costs(seed, {.units = 4}), seed);
    const Plan random = random_plan(seed, *costs, seed % 3 != 0);
    const auto blocks = placed(random, *costs);
    const auto estimated = estimate(random, *costs, 20);
    ASSERT_GE(estimated.makespan, least_makespan(blocks, estimated.times, *costs, 20)) << to_string(random);
    three += blocks.size() > 2;
  }
  EXPECT_GT(three, 50);
}

TEST(PlanEstimate, of_blocks_that_slow_each_other_down_has_a_bound_that_comes_near) {
  auto costs = costs_of({{1000, 1000}, {1000, 1000}}, {"CPU", "GPU"});
  costs.set_slow_down(0, 1, 1.2);
  costs.set_slow_down(1, 0, 1.2);
  const auto blocks = placed(plan("CPU[1] | GPU[2]"), costs);
  const auto times = times_of(blocks, costs);
  // Side by side all the time: 100 batches at 1200 each; the simulation has one block alone at either end.
  EXPECT_GE(least_makespan(blocks, times, costs, 100).count(), 119'000);
  EXPECT_LE(least_makespan(blocks, times, costs, 100).count(), 120'000);
  EXPECT_EQ(makespan_of(blocks, times, costs, 100).count(), 1000 + 99 * 1200 + 1000);
}

TEST(PlanEstimate, says_what_is_missing) {
  const auto costs = costs_of({{10, 20}, {4, -1}}, {"CPU", "NPU"});
  EXPECT_EQ(estimate_refusal("CPU[1] | NPU[2]", costs),
            "stage 2 cannot run on NPU: the costs have no time of stage 2 on NPU");
  EXPECT_THAT(estimate_refusal("CPU[1]", costs), HasSubstr("plan 'CPU[1]': ends with stage 1, but there are 2"));
  EXPECT_THAT(estimate_refusal("GPU[1-2]", costs), HasSubstr("the unit 'GPU'"));
  EXPECT_THAT(estimate_refusal("CPU[1-2]", costs, 0), HasSubstr("0 is not a number of batches"));
  const auto slow = costs_of({{std::int64_t{1} << 40, 1}}, {"CPU"});
  EXPECT_THAT(estimate_refusal("CPU[1-2]", slow, std::int64_t{1} << 40), HasSubstr("it takes more than 292 years"));
}

TEST(PlanEstimate, refuses_a_unit_that_lacks_memory_for_all_of_its_blocks) {
  auto costs = costs_of({{10, 20, 30}, {4, 8, 12}}, {"CPU", "GPU"});
  costs.set_memory(1, {1000, 1000, 1000}, 1500);
  EXPECT_EQ(estimate_refusal("GPU[1] | CPU[2-3]", costs), "");
  EXPECT_THAT(estimate_refusal("GPU[1-2] | CPU[3]", costs), HasSubstr("GPU needs 1.95 KiB of memory but has 1.46 KiB"));
  EXPECT_THAT(estimate_refusal("GPU[1] | CPU[2] | GPU[3]", costs),
              HasSubstr("GPU needs 1.95 KiB of memory but has 1.46 KiB"));
  EXPECT_EQ(estimate_refusal("CPU+GPU[1-3 0.5/0.5]", costs), "");
}

}  // namespace
}  // namespace takt
