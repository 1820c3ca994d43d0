#include "plan/estimate/measured_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "plan/search/search.h"
#include "refused.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// On sizes of N nodes and 10 N or 20 N edges: single stages of GraphSAGE take 10 (CPU) or 4 (GPU) µs per 1000 nodes
/// and 20 µs, all of them in one 15 µs per 1000 nodes and 20 µs on the GPU. The NPU failed.
std::shared_ptr<const CostLookup> linear_costs() {
  StageMeasurements rows;
  std::int64_t ratio = 10;
  const auto add = [&](std::int64_t nodes, const std::string& unit, int first, int last, double us) {
    StageMeasurement& row = rows.rows.emplace_back();
    row.key = {nodes, ratio * nodes, unit, first, last};
    if (us < 0) {
      row.status = StageStatus::failed;
      row.reason = "the device was lost";
      return;
    }
    row.times.emplace();
    row.times->mean = row.times->min = row.times->max = Duration(us);
  };
  for (; ratio <= 20; ratio += 10)
    for (std::int64_t thousand : {1, 2, 4, 8, 16}) {
      const auto n = static_cast<double>(thousand);
      for (int stage = 1; stage <= 7; ++stage) {
        add(1000 * thousand, "CPU", stage, stage, 20 + 10 * n);
        add(1000 * thousand, "GPU", stage, stage, 20 + 4 * n);
        add(1000 * thousand, "NPU", stage, stage, -1);
      }
      add(1000 * thousand, "GPU", 1, 7, 20 + 15 * n);
    }
  std::sort(rows.rows.begin(), rows.rows.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  return std::make_shared<CostLookup>(std::move(rows));
}

TEST(MeasuredCosts, are_those_of_the_size_and_of_shares_of_it) {
  const auto costs = measured_costs(linear_costs(), {.size = {8000, 80000}});
  EXPECT_THAT(costs->units(), ElementsAre("CPU", "GPU", "NPU"));
  EXPECT_EQ(costs->stages(), 7);
  EXPECT_EQ(costs->time({1, 1}, 0, 1)->count(), 100'000);
  EXPECT_EQ(costs->time({1, 7}, 1, 1)->count(), 140'000);
  EXPECT_EQ(costs->time({1, 1}, 0, 0.5)->count(), 60'000);
  std::int64_t before = 0;
  for (int n = 1; n <= 1000; ++n) {
    const std::int64_t time = costs->time({1, 1}, 0, n / 1000.0)->count();
    EXPECT_GE(time, before) << n;
    before = time;
  }
}

TEST(MeasuredCosts, are_missing_where_nothing_was_measured) {
  const auto costs = measured_costs(linear_costs(), {.size = {8000, 80000}});
  EXPECT_FALSE(costs->time({1, 2}, 0, 1));
  EXPECT_FALSE(costs->time({1, 1}, 2, 1));
  EXPECT_THAT(costs->why_missing({1, 1}, 2), HasSubstr("lost"));
  EXPECT_FALSE(costs->divide({1, 1}, {0, 1}));
  EXPECT_EQ(refused_with([&] { measured_costs(std::make_shared<CostLookup>(StageMeasurements{}), {}); }),
            "the costs have no rows; measure some stages first");
}

TEST(MeasuredCosts, lead_to_a_plan) {
  const auto costs = measured_costs(linear_costs(), {.size = {8000, 80000}});
  EXPECT_EQ(to_string(search_plans(*costs).plans[0].plan), "GPU[1-7]");
  const auto divided = measured_costs(linear_costs(), {.size = {8000, 80000}, .divide = DivideCost{}});
  EXPECT_LE(search_plans(*divided).plans[0].value, search_plans(*costs).plans[0].value);
}

TEST(MeasuredCosts, by_law_are_not_led_astray_by_a_single_row) {
  StageMeasurements rows;
  for (std::int64_t thousand : {1, 2, 4, 8, 16, 32}) {
    StageMeasurement& row = rows.rows.emplace_back();
    row.key = {1000 * thousand, 9000 * thousand, "CPU", 1, 7};
    row.times.emplace();
    row.times->mean = row.times->min = row.times->max = Duration(thousand == 8 ? 240 : 20 * double(thousand));
  }
  const auto lookup = std::make_shared<CostLookup>(std::move(rows));
  EXPECT_EQ(measured_costs(lookup, {.size = {8000, 72000}})->time({1, 7}, 0, 1)->count(), 240'000);
  const auto by_law = measured_costs(lookup, {.size = {8000, 72000}, .by_law = true});
  EXPECT_NEAR(static_cast<double>(by_law->time({1, 7}, 0, 1)->count()), 160'000, 8'000);
}

TEST(MeasuredCosts, say_which_blocks_lie_beyond_what_was_measured) {
  const auto lookup = linear_costs();
  const Plan plan = parse_plan("GPU[1-7]", "");
  EXPECT_THAT(extrapolated_blocks(plan, *lookup, {64000, 640000}), ElementsAre("stages 1-7 on GPU"));
  EXPECT_THAT(extrapolated_blocks(plan, *lookup, {5000, 50000}), ElementsAre());
}

}  // namespace
}  // namespace takt
