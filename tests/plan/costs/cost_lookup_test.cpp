#include "plan/costs/lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/basics/error.h"
#include "plan/costs/lookup_tables.h"
#include "plan/costs/measured_rows.h"
#include "plan/costs/tables.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::HasSubstr;

double law(double nodes, double edges) { return 200 + 0.5 * nodes + 0.75 * edges; }

StageMeasurements rows_of_law(const std::string& unit, int first, int last) {
  StageMeasurements all;
  for (const GraphSize& size : fifteen_sizes())
    all.rows.push_back(
        measured({size.nodes, size.edges, unit, first, last}, Duration(law(double(size.nodes), double(size.edges)))));
  return all;
}

std::string reason_of(const CostLookup& costs, const UnitRange& range, const GraphSize& size) {
  const CostAnswer answer = costs.cost(range, size);
  EXPECT_FALSE(answer.cost.has_value());
  return answer.reason;
}

TEST(CostLookup, a_measured_size_is_its_row) {
  StageMeasurements all = rows_of_law("GPU", 1, 1);
  all.rows[4].times = times_of({Nanoseconds(1000), Nanoseconds(2000), Nanoseconds(3000)});
  const CostLookup costs(all);
  const GraphSize size{all.rows[4].key.nodes, all.rows[4].key.edges};
  const StageCost cost = costs.cost({"GPU", 1, 1}, size).cost.value();
  EXPECT_EQ(cost.origin, CostOrigin::measured);
  EXPECT_DOUBLE_EQ(cost.mean.count(), 2);
  // Student's t with 2 degrees at 5 %: 2.92; standard error 1 / sqrt(3).
  EXPECT_NEAR(cost.low->count(), 2 - 2.92 / std::sqrt(3), 1e-3);
  EXPECT_NEAR(cost.high->count(), 2 + 2.92 / std::sqrt(3), 1e-3);
  EXPECT_EQ(cost.runtime, "sim");
  EXPECT_EQ(cost.device, "sim:GPU");
}

TEST(CostLookup, a_measured_size_without_samples_has_no_interval) {
  const CostLookup costs(laptop_rows());
  const StageCost cost = costs.cost({"CPU", 6, 6}, {50000, 500000}).cost.value();
  EXPECT_DOUBLE_EQ(cost.mean.count(), 454800);
  EXPECT_FALSE(cost.low.has_value());
  EXPECT_EQ(cost.device, "");
}

TEST(CostLookup, between_measured_sizes_the_law_answers) {
  const CostLookup costs(rows_of_law("CPU", 3, 3));
  const StageCost cost = costs.cost({"CPU", 3, 3}, {4000, 7000}).cost.value();
  EXPECT_EQ(cost.origin, CostOrigin::fitted);
  EXPECT_NEAR(cost.mean.count(), law(4000, 7000), 1e-6);
  EXPECT_LE(*cost.low, cost.mean);
  EXPECT_GE(*cost.high, cost.mean);
  EXPECT_EQ(cost.device, "sim:CPU");
}

TEST(CostLookup, beyond_measured_sizes_the_answer_says_so_and_is_less_sure) {
  StageMeasurements all = laptop_rows();
  const CostLookup costs(all);
  const StageCost inside = costs.cost({"GPU", 1, 1}, {30000, 200000}).cost.value();
  const StageCost beyond = costs.cost({"GPU", 1, 1}, {300000, 2000000}).cost.value();
  EXPECT_EQ(inside.origin, CostOrigin::fitted);
  EXPECT_EQ(beyond.origin, CostOrigin::extrapolated);
  EXPECT_GT((*beyond.high - *beyond.low) / beyond.mean, (*inside.high - *inside.low) / inside.mean);
}

TEST(CostLookup, fused_stages_are_never_the_sum_of_their_stages) {
  StageMeasurements all = rows_of_law("CPU", 1, 1);
  for (const int stage : {2, 3})
    for (const StageMeasurement& row : rows_of_law("CPU", stage, stage).rows) all.rows.push_back(row);
  EXPECT_EQ(reason_of(CostLookup(all), {"CPU", 1, 3}, {1000, 1000}),
            "these stages were not measured as a fused range on this unit");
  for (const StageMeasurement& row : rows_of_law("CPU", 1, 3).rows) all.rows.push_back(row);
  EXPECT_NEAR(CostLookup(all).cost({"CPU", 1, 3}, {4000, 7000}).cost->mean.count(), law(4000, 7000), 1e-6);
}

TEST(CostLookup, what_has_no_cost_says_why) {
  StageMeasurements all = rows_of_law("GPU", 1, 1);
  all.rows.resize(3);
  for (const GraphSize& size : fifteen_sizes())
    all.rows.push_back(without_time({size.nodes, size.edges, "NPU", 3, 3}, StageStatus::unsupported, "no scatter"));
  const CostLookup costs(all);
  EXPECT_EQ(reason_of(costs, {"NPU", 3, 3}, {2000, 3000}), "unsupported at 2000 nodes and 3000 edges: no scatter");
  EXPECT_EQ(reason_of(costs, {"NPU", 3, 3}, {20000, 30000}), "unsupported at 1000 nodes and 1000 edges: no scatter");
  EXPECT_EQ(reason_of(costs, {"NPU", 3, 3}, {10, 10}), "unsupported at 1000 nodes and 1000 edges: no scatter");
  EXPECT_EQ(reason_of(costs, {"NPU", 1, 1}, {2000, 3000}), "the stage was not measured on this unit");
  EXPECT_THAT(reason_of(costs, {"GPU", 1, 1}, {2000, 7000}), HasSubstr("sizes measured: 3"));
  EXPECT_TRUE(costs.cost({"GPU", 1, 1}, {1000, 1000}).cost.has_value());  // measured, so no law is needed
}

TEST(CostLookup, beyond_a_size_that_ran_out_of_memory_there_is_no_cost) {
  StageMeasurements all = rows_of_law("GPU", 1, 1);
  all.rows.push_back(without_time({10000, 50000, "GPU", 1, 1}, StageStatus::failed, "out of memory"));
  const CostLookup costs(all);
  EXPECT_EQ(reason_of(costs, {"GPU", 1, 1}, {10000, 50000}), "failed at 10000 nodes and 50000 edges: out of memory");
  EXPECT_EQ(reason_of(costs, {"GPU", 1, 1}, {20000, 80000}), "failed at 10000 nodes and 50000 edges: out of memory");
  EXPECT_TRUE(costs.cost({"GPU", 1, 1}, {20000, 9000}).cost.has_value()) << "as many edges ran";
}

TEST(CostLookup, between_all_that_ran_and_what_failed_nothing_is_known) {
  StageMeasurements all = rows_of_law("GPU", 1, 1);  // up to 10000 edges
  all.rows.push_back(without_time({15000, 30000, "GPU", 1, 1}, StageStatus::failed, "out of memory"));
  const CostLookup costs(all);
  const std::string unknown = "larger than all that ran; failed at 15000 nodes and 30000 edges: out of memory";
  EXPECT_EQ(reason_of(costs, {"GPU", 1, 1}, {25000, 25000}), unknown);
  EXPECT_EQ(reason_of(costs, {"GPU", 1, 1}, {9000, 10001}), unknown);
  EXPECT_EQ(reason_of(costs, {"GPU", 1, 1}, {10001, 9000}), unknown);
  EXPECT_TRUE(costs.cost({"GPU", 1, 1}, {9500, 9500}).cost.has_value());
}

TEST(CostLookup, a_failure_that_larger_sizes_survived_says_nothing_of_others) {
  StageMeasurements all = rows_of_law("GPU", 1, 1);
  all.rows[0] = without_time(all.rows[0].key, StageStatus::failed, "the device was lost");  // the smallest size
  const CostLookup costs(all);
  EXPECT_THAT(reason_of(costs, {"GPU", 1, 1}, {1000, 1000}), HasSubstr("the device was lost"));
  EXPECT_NEAR(costs.cost({"GPU", 1, 1}, {1500, 4000}).cost->mean.count(), law(1500, 4000), 1e-6);
}

TEST(CostLookup, ranges_are_in_the_order_of_units_and_stages) {
  StageMeasurements all;
  for (const char* unit : {"NPU", "GPU", "CPU"})
    for (const auto& [first, last] : {std::pair(2, 2), std::pair(1, 4), std::pair(1, 1)})
      all.rows.push_back(measured({10, 20, unit, first, last}, Duration(1)));
  const CostLookup costs(all);
  const std::vector<UnitRange> expected{{"CPU", 1, 1}, {"CPU", 1, 4}, {"CPU", 2, 2}, {"GPU", 1, 1}, {"GPU", 1, 4},
                                        {"GPU", 2, 2}, {"NPU", 1, 1}, {"NPU", 1, 4}, {"NPU", 2, 2}};
  EXPECT_EQ(costs.ranges(), expected);
  ASSERT_EQ(costs.sizes().size(), 1U);
  EXPECT_EQ(costs.sizes().front().edges, 20);
}

TEST(CostLookup, it_is_read_from_a_sweeps_folder_or_its_file) {
  const TestFolder folder;
  write_cost_tables(folder / "sweep/results", rows_of_law("CPU", 1, 1), {});
  for (const char* place : {"sweep", "sweep/results", "sweep/results/raw_measurements.json"}) {
    const CostLookup costs = read_costs(folder / place);
    EXPECT_NEAR(costs.cost({"CPU", 1, 1}, {4000, 7000}).cost->mean.count(), law(4000, 7000), 1e-3) << place;
  }
  try {
    read_costs(folder.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_THAT(error.what(), HasSubstr("give the folder of a sweep with results"));
  }
}

TEST(CostLookup, its_table_has_empty_cells_for_what_is_not_known) {
  const CostLookup costs(laptop_rows());
  std::vector<AnsweredCost> answers;
  for (const UnitRange& range : {UnitRange{"GPU", 1, 1}, UnitRange{"NPU", 1, 4}})
    answers.push_back({Network::sage, range, costs.cost(range, {10000, 50000})});
  EXPECT_EQ(to_csv(costs_table(answers)),
            "unit,stages,stage_work,cost_us,cost_low_us,cost_high_us,cost_origin,runtime,device,missing_because\n"
            "GPU,1,GATHER,41090,,,measured,,,\n"
            "NPU,1-4,,,,,,,,these stages were not measured as a fused range on this unit\n");
}

TEST(CostLookup, copies_are_those_of_a_range_that_was_measured) {
  StageMeasurements all = rows_of_law("GPU", 1, 1);
  all.rows[2].inputs_copy = StageCopy{1000, Duration(7)}, all.rows[2].outputs_copy = StageCopy{500, Duration(3)};
  const CostLookup costs(all);
  const GraphSize size{all.rows[2].key.nodes, all.rows[2].key.edges};
  EXPECT_EQ(costs.inputs_copy({"GPU", 1, 1}, size), Duration(7));
  EXPECT_EQ(costs.outputs_copy({"GPU", 1, 1}, size), Duration(3));
  for (const UnitRange& other : {UnitRange{"GPU", 1, 2}, UnitRange{"NPU", 1, 1}}) {
    EXPECT_EQ(costs.inputs_copy(other, size), std::nullopt);
    EXPECT_EQ(costs.outputs_copy(other, size), std::nullopt);
  }
}

}  // namespace
}  // namespace takt
