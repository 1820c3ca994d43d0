#include "plan/answer/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "plan/estimate/chosen_units.h"
#include "plan/search/plan_words.h"
#include "plan/search/source_plans.h"
#include "refused.h"

namespace takt {
namespace {

using testing::HasSubstr;

std::string csv_of(const PlanReport& report, std::string_view table) {
  return to_csv(table_named(plan_tables(report), table));
}

/// The CPU takes 30 and 10 ms, the GPU 70 and 50.
std::shared_ptr<const PlanCosts> two_units() {
  auto costs = costs_of({{30'000'000, 10'000'000}, {70'000'000, 50'000'000}}, {"CPU", "GPU"});
  costs.set_divide({Nanoseconds(1'000'000), Nanoseconds(500'000)});
  return std::make_shared<PlanCostTable>(std::move(costs));
}

PlanReport report_of(const std::shared_ptr<const PlanCosts>& costs) {
  PlanReport report{
      PlanObjective::latency, 10, costs->units(), search_plans(*costs, {.batches = 10, .top = 2}), {}, {}, {}};
  GivenPlan possible{"", parse_plan("GPU[1] | CPU[2]", ""), {}, ""};
  possible.estimate = estimate(possible.plan, *costs, 10);
  report.given = {possible, {"PEP1", *plan_named("PEP1"), {}, "it has other stages"}};
  return report;
}

TEST(PlanTables, have_what_was_found_the_best_single_and_what_was_given) {
  EXPECT_EQ(csv_of(report_of(two_units()), "plans"),
            "plan_rank,role,plan,latency_ms,makespan_ms,throughput_per_s,speed_up,optimal,plan_reason\n"
            "1,found,CPU+GPU[1-2 0.75/0.25],31.5,315,31.746031746031747,1.2698412698412698,yes,\n"
            "2,found,CPU[1-2],40,400,25,1,yes,\n"
            ",single,CPU[1-2],40,400,25,1,,\n"
            ",given,GPU[1] | CPU[2],80,710,14.084507042253522,0.5,,\n"
            ",PEP1,CPU+GPU[1-5 0.30/0.70] | NPU[6-7],,,,,,it has other stages\n");
}

TEST(PlanTables, have_the_blocks_of_the_best) {
  EXPECT_EQ(csv_of(report_of(two_units()), "blocks"),
            "block,block_stages,block_unit,share,part_time_us,transfer_us,block_partition_us,merge_us,block_time_us\n"
            "1,1-2,CPU,0.75,30000,0,1000,500,31500\n"
            "1,1-2,GPU,0.25,30000,0,1000,500,31500\n");
}

TEST(PlanTables, say_how_sure_the_best_is) {
  auto report = report_of(two_units());
  EXPECT_THAT(to_text(report, {}),
              testing::StartsWith("Best plan: CPU+GPU[1-2 0.75/0.25], 31.5 ms a batch, 1.27 times as fast as the\n"
                                  "best single device (CPU[1-2]). It is proven optimal for these costs.\n"));
  EXPECT_THAT(to_text(report, {}), HasSubstr("it has other stages."));
  report.search.plans.front().proven = false;
  report.search.lower_bound = Nanoseconds(25'200'000);
  EXPECT_THAT(to_text(report, {}), HasSubstr("a plan\ncould take up to 20.0 % less time."));
}

TEST(PlanTables, say_whether_the_best_is_better_than_one_unit_by_more_than_chance) {
  const auto costs = two_units();
  auto report = report_of(costs);
  EXPECT_THAT(to_text(report, {}), testing::Not(HasSubstr("single-device")));
  compare_with_single(report, *costs, {}, {});
  EXPECT_THAT(to_text(report, {.width = 300}),
              HasSubstr("advantage over the best single-device plan cannot be tested: the costs have no confidence "
                        "intervals."));
  EXPECT_EQ(csv_of(report, "differences"),
            "plan_rank,role,plan,saved_ms,saved_low_ms,saved_high_ms,plan_verdict,verdict_reason\n"
            "1,found,CPU+GPU[1-2 0.75/0.25],8.5,,,unknown,the costs have no confidence intervals\n"
            ",given,GPU[1] | CPU[2],-40,,,unknown,the costs have no confidence intervals\n");
  report.best_difference->interval = {Nanoseconds(7'000'000), Nanoseconds(9'000'000)};
  EXPECT_THAT(
      to_text(report, {.width = 300}),
      HasSubstr("It is better than the best single-device plan with 95 % confidence: it saves 8.50 ms, between 7.00 ms "
                "and 9.00 ms."));
  report.best_difference->interval->low = Nanoseconds(-1'000'000);
  EXPECT_THAT(
      to_text(report, {.width = 300}),
      HasSubstr(
          "It is not significantly better than the best single-device plan (95 %): it saves 8.50 ms, but that may "
          "be between -1.00 ms and 9.00 ms."));
  report.given_differences[0]->interval = {Nanoseconds(-50), Nanoseconds(-40)};
  EXPECT_THAT(csv_of(report, "differences"), HasSubstr(",worse,"));
  EXPECT_THAT(csv_of(report, "differences"), HasSubstr(",inconclusive,"));
  report.search.plans.front().plan = report.search.best_single->plan;
  EXPECT_THAT(to_text(report, {.width = 300}), HasSubstr("It is the best single-device plan."));
}

TEST(PlanTables, list_candidates) {
  const auto table = candidates_table(source_plans(rules_for(Network::sage)));
  ASSERT_EQ(table.rows.size(), 30u);
  EXPECT_THAT(to_csv(table), HasSubstr("\n3,CPU+GPU[1-7 0.50/0.50],1\n"));
}

TEST(ChosenUnits, have_the_costs_of_those_alone) {
  auto all = std::make_shared<PlanCostTable>(costs_of({{1, 2}, {3, 4}, {5, 6}}, {"CPU", "GPU", "NPU"}));
  all->set_transfer(1, 2, 0, Nanoseconds(9));
  all->set_slow_down(2, 0, 1.5);
  all->set_memory(2, {10, 20}, 100);
  const auto chosen = with_units(all, {"npu", "CPU"});
  EXPECT_THAT(chosen->units(), testing::ElementsAre("NPU", "CPU"));
  EXPECT_EQ(chosen->time({1, 2}, 0, 1)->count(), 11);
  EXPECT_EQ(chosen->time({1, 2}, 1, 1)->count(), 3);
  EXPECT_EQ(chosen->transfer(1, 0, 1)->count(), 9);
  EXPECT_EQ(chosen->transfer(1, PlanCosts::host, 1)->count(), 0);
  EXPECT_TRUE(chosen->divide({1, 2}, {0, 1}));
  EXPECT_EQ(chosen->slow_down({1, 1}, 0, {2, 2}, 1), 1.5);
  EXPECT_EQ(chosen->memory({1, 2}, 0, 1), 30);
  EXPECT_EQ(chosen->memory_limit(0), 100);
  EXPECT_FALSE(chosen->memory_limit(1));
  EXPECT_EQ(refused_with([&] { with_units(all, {"TPU"}); }),
            "there are no costs of the unit 'TPU'; did you mean 'CPU'?");
  EXPECT_EQ(refused_with([&] { with_units(all, {"CPU", "cpu"}); }), "the unit CPU is listed twice");
  EXPECT_EQ(refused_with([&] { with_units(all, {}); }), "no unit is given; use CPU, GPU, NPU");
}

}  // namespace
}  // namespace takt
