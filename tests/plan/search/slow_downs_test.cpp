#include "plan/estimate/slow_downs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "plan/estimate/estimate.h"
#include "plan/search/plan_words.h"

namespace takt {
namespace {

using testing::HasSubstr;

PairRow pair(const std::string& stage, const std::string& beside, double factor, bool significant = true) {
  PairRow row;
  row.stage = stage;
  row.beside = beside;
  row.factor = factor;
  row.significant = significant;
  return row;
}

/// Stages of 100 and 300 ns on the CPU, of 200 each on the GPU.
std::shared_ptr<const PlanCosts> slowed(const std::vector<PairRow>& pairs) {
  return with_slow_downs(std::make_shared<PlanCostTable>(costs_of({{100, 300}, {200, 200}}, {"CPU", "GPU"})), pairs,
                         "pairs.json");
}

std::string pairs_refusal(const std::vector<PairRow>& pairs) {
  try {
    slowed(pairs);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SlowDowns, of_units_hold_for_all_their_blocks) {
  const auto costs = slowed({pair("CPU", "GPU", 1.5), pair("GPU", "CPU", 1.2, false)});
  EXPECT_TRUE(costs->has_slow_downs());
  EXPECT_EQ(costs->slow_down({1, 1}, 0, {2, 2}, 1), 1.5);
  EXPECT_EQ(costs->slow_down({1, 2}, 0, {1, 1}, 1), 1.5);
  EXPECT_EQ(costs->slow_down({2, 2}, 1, {1, 1}, 0), 1);  // not significant
}

TEST(SlowDowns, of_blocks_go_before_those_of_units) {
  const auto costs = slowed({pair("CPU", "GPU", 1.5), pair("CPU[1]", "GPU[2]", 1.1)});
  EXPECT_EQ(costs->slow_down({1, 1}, 0, {2, 2}, 1), 1.1);
  EXPECT_EQ(costs->slow_down({2, 2}, 0, {1, 1}, 1), 1.5);
}

TEST(SlowDowns, of_stages_count_by_the_time_they_take) {
  // The CPU runs stage 1 for a quarter of the time, the GPU stage 2 for half of it: 1 + 0.8 / 8.
  const auto costs = slowed({pair("CPU[1]", "GPU[2]", 1.8)});
  EXPECT_DOUBLE_EQ(costs->slow_down({1, 2}, 0, {1, 2}, 1), 1.1);
  EXPECT_DOUBLE_EQ(costs->slow_down({1, 2}, 0, {2, 2}, 1), 1.2);
  EXPECT_EQ(costs->slow_down({2, 2}, 0, {2, 2}, 1), 1);
}

TEST(SlowDowns, of_a_larger_block_are_not_counted_twice) {
  const auto costs = slowed({pair("CPU[1]", "GPU[2]", 1.8), pair("CPU[1-2]", "GPU[2]", 1.4)});
  EXPECT_DOUBLE_EQ(costs->slow_down({1, 2}, 0, {1, 2}, 1), 1.2);  // 1.4 for half of the time
}

TEST(SlowDowns, make_a_plan_take_longer) {
  const Plan plan = parse_plan("CPU[1] | GPU[2]", "");
  EXPECT_EQ(estimate(plan, *slowed({}), 10).makespan.count(), 100 + 10 * 200);
  EXPECT_GT(estimate(plan, *slowed({pair("GPU", "CPU", 1.5)}), 10).makespan.count(), 2100);
  EXPECT_FALSE(slowed({pair("GPU", "CPU", 1)})->has_slow_downs());
}

TEST(SlowDowns, three_blocks_share_what_no_two_of_them_lack) {
  // Each wants half of the memory. Two fit; while all three run, each takes half as long again.
  const auto table = costs_of({{1000, -1, -1}, {-1, 1000, -1}, {-1, -1, 1000}}, {"A", "B", "C"});
  const KnownStages known{{"A[1]", "B[2]", "C[3]"}, {"memory"}, {wants(0.5), wants(0.5), wants(0.5)}};
  const auto costs = with_slow_downs(std::make_shared<PlanCostTable>(table), {}, "known", &known);
  EXPECT_TRUE(costs->has_slow_downs());
  const Plan plan = parse_plan("A[1] | B[2] | C[3]", "");
  // 1000 of A alone, 1000 of A and B, 8 times 1500 of all, 1000 of B and C, 1000 of C.
  EXPECT_EQ(estimate(plan, *costs, 10).makespan.count(), 2000 + 8 * 1500 + 2000);
  EXPECT_EQ(estimate(plan, *costs, 1).latency.count(), 3000);
}

TEST(SlowDowns, of_a_block_wants_are_those_of_its_stages_over_its_time) {
  // 100 ns of the one and 300 of the other.
  const KnownStages known{{"CPU[1]", "CPU[2]", "GPU[1-2]"}, {"memory"}, {wants(0.4), wants(0.8), wants(0.3)}};
  const auto costs = with_slow_downs(
      std::make_shared<PlanCostTable>(costs_of({{100, 300}, {200, 200}}, {"CPU", "GPU"})), {}, "known", &known);
  const auto block = costs->contention({1, 2}, 0);
  ASSERT_TRUE(block);
  EXPECT_DOUBLE_EQ(block->pressure.at(0), 0.7);
  EXPECT_DOUBLE_EQ(block->sensitivity.at(0).at(1), 1 + (0.4 * 100 + 0.8 * 300) / 400);
  EXPECT_DOUBLE_EQ(costs->contention({1, 2}, 1)->pressure.at(0), 0.3);
  EXPECT_FALSE(costs->contention({1, 1}, 1)) << "only of both together";
}

TEST(SlowDowns, of_units_without_costs_are_left_out) {
  EXPECT_FALSE(slowed({pair("CPU", "NPU", 1.5), pair("NPU[1]", "CPU[2]", 2), pair("CPU", "CPU", 3)})->has_slow_downs());
}

TEST(SlowDowns, that_name_nothing_are_refused) {
  EXPECT_THAT(
      pairs_refusal({pair("decode", "CPU", 2)}),
      HasSubstr("pairs.json: 'decode' is neither a unit (CPU, GPU) nor a block; name the stages of the pipeline like"));
  EXPECT_THAT(pairs_refusal({pair("CPU[1-3]", "GPU[1]", 2)}), HasSubstr("'CPU[1-3]' is not a block of stages 1 to 2"));
  EXPECT_THAT(pairs_refusal({pair("CPU[1", "GPU[1]", 2)}), HasSubstr("pairs.json: 'CPU[1'"));
  EXPECT_THAT(pairs_refusal({pair("CPU[1]", "GPU", 2)}), HasSubstr("name two units or two blocks"));
  EXPECT_THAT(pairs_refusal({pair("CPU", "GPU", 2), pair("CPU", "GPU", 3)}), HasSubstr("is listed twice"));
}

}  // namespace
}  // namespace takt
