#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "plan/estimate/cost_table.h"

namespace takt {
namespace {

using testing::HasSubstr;

constexpr const char* whole_file = R"({
  "units": ["CPU", "GPU", "NPU"],
  "times_us": {"CPU": [40, 10, 55], "GPU": [12, {"whole": 9, "fixed": 2}, 14], "NPU": [30, null, 20.5]},
  "ranges_us": {"GPU": {"1-3": 20}},
  "transfers_us": {"CPU>GPU": 5, "GPU>host": [0, 0, 0, 8]},
  "divide_us": {"partition": 3, "merge": 2},
  "slow_downs": {"CPU beside GPU": 1.25},
  "memory_bytes": {"NPU": {"limit": 1000000, "stages": [400000, 0, 700000]}}})";

std::string refusal(const std::string& json) {
  try {
    parse_plan_costs(json, "costs.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// A file of two units and two stages with one thing more.
std::string with(const std::string& more) {
  return R"({"units": ["CPU", "GPU"], "times_us": {"CPU": [1, 2], "GPU": [3, 4]}, )" + more + "}";
}

TEST(PlanCostFile, is_read_as_it_says) {
  const auto costs = parse_plan_costs(whole_file, "");
  EXPECT_EQ(costs.stages(), 3);
  EXPECT_EQ(costs.units(), (std::vector<std::string>{"CPU", "GPU", "NPU"}));
  EXPECT_EQ(costs.time({1, 1}, 0, 1)->count(), 40'000);
  EXPECT_EQ(costs.time({1, 3}, 0, 0.5)->count(), 52'500);
  EXPECT_EQ(costs.time({2, 2}, 1, 0.5)->count(), 2'000 + 3'500);
  EXPECT_EQ(costs.time({1, 3}, 1, 1)->count(), 20'000);
  EXPECT_EQ(costs.time({1, 2}, 1, 1)->count(), 21'000);
  EXPECT_EQ(costs.time({3, 3}, 2, 1)->count(), 20'500);
  EXPECT_FALSE(costs.time({2, 2}, 2, 1));
  EXPECT_FALSE(costs.time({1, 3}, 2, 1));
  EXPECT_EQ(costs.why_missing({1, 3}, 2), "the costs have no time of stage 2 on NPU");
  EXPECT_EQ(costs.transfer(2, 0, 1)->count(), 5'000);
  EXPECT_EQ(costs.transfer(2, 1, 0)->count(), 0);
  EXPECT_EQ(costs.transfer(2, 1, PlanCosts::host)->count(), 0);
  EXPECT_EQ(costs.transfer(3, 1, PlanCosts::host)->count(), 8'000);
  EXPECT_EQ(costs.divide({1, 1}, {0, 1})->partition.count(), 3'000);
  EXPECT_EQ(costs.divide({1, 1}, {0, 1})->merge.count(), 2'000);
  EXPECT_TRUE(costs.has_slow_downs());
  EXPECT_EQ(costs.slow_down({1, 1}, 0, {2, 2}, 1), 1.25);
  EXPECT_EQ(costs.slow_down({1, 1}, 1, {2, 2}, 0), 1);
  EXPECT_EQ(costs.memory({1, 3}, 2, 0.5), 550'000);
  EXPECT_EQ(costs.memory_limit(2), 1'000'000);
  EXPECT_FALSE(costs.memory_limit(0));
}

TEST(PlanCostFile, that_is_none_is_refused) {
  for (const char* json : {"[]", "{}", R"({"units": ["CPU"]})"})
    EXPECT_THAT(refusal(json), HasSubstr("costs.json: is not a file of costs")) << json;
  EXPECT_EQ(refusal(""), "costs.json: is empty");
  EXPECT_THAT(refusal("{"), HasSubstr("costs.json: byte 2 is not JSON"));
}

TEST(PlanCostFile, with_a_wrong_entry_names_its_key) {
  EXPECT_EQ(refusal(with(R"("divide_us": {"merge": 1})")), "");
  EXPECT_EQ(refusal(with(R"("times": 1)")),
            "costs.json: 'times': has no meaning for 'times'; use units, times_us, ranges_us, transfers_us, divide_us, "
            "slow_downs, memory_bytes");
  EXPECT_THAT(refusal(with(R"("units": ["CPU"])")), HasSubstr("'units' is listed twice"));
  EXPECT_THAT(refusal(with(R"("ranges_us": {"GPU": {"1-2": 3, "1-2": 4}})")), HasSubstr("'1-2' is listed twice"));
  EXPECT_THAT(refusal(with(R"("ranges_us": {"GPU": {"1-3": 3}})")), HasSubstr("'GPU': '1-3' is not a range of stages"));
  EXPECT_THAT(refusal(with(R"("ranges_us": {"NPU": {}})")),
              HasSubstr("'ranges_us': the unit 'NPU' does not exist; use CPU, GPU"));
  EXPECT_THAT(refusal(with(R"("transfers_us": {"CPU-GPU": 1})")), HasSubstr("write it as \"CPU>GPU\""));
  EXPECT_THAT(refusal(with(R"("transfers_us": {"CPU>CPU": 1})")), HasSubstr("leads nowhere"));
  EXPECT_THAT(refusal(with(R"("transfers_us": {"CPU>GPU": [1, 2]})")), HasSubstr("give a list of 3"));
  EXPECT_THAT(refusal(with(R"("transfers_us": {"CPU>GPU": -1})")), HasSubstr("-1 is not a time in microseconds"));
  EXPECT_THAT(refusal(with(R"("divide_us": {"merge": "2"})")), HasSubstr("\"2\" is not a time"));
  EXPECT_THAT(refusal(with(R"("divide_us": {"join": 2})")), HasSubstr("no meaning for 'join'"));
  EXPECT_THAT(refusal(with(R"("slow_downs": {"CPU beside GPU": 0.5})")),
              HasSubstr("0.5 is not a factor from 1 to 1000"));
  EXPECT_THAT(refusal(with(R"("divide_us": 3)")), HasSubstr("'divide_us': is 3; give an object"));
  EXPECT_THAT(refusal(with(R"("transfers_us": [3])")), HasSubstr("'transfers_us': is [3]; give an object"));
  EXPECT_THAT(refusal(with(R"("ranges_us": {"GPU": 3})")), HasSubstr("'GPU': is 3; give an object such as"));
  EXPECT_THAT(refusal(with(R"("slow_downs": {"CPU beside CPU": 2})")),
              HasSubstr("does not run concurrently with itself"));
  EXPECT_THAT(refusal(with(R"("slow_downs": {"CPU and GPU": 2})")), HasSubstr("write it as \"CPU beside GPU\""));
  EXPECT_THAT(refusal(with(R"("memory_bytes": {"GPU": {"limit": 1.5, "stages": [1, 2]}})")),
              HasSubstr("1.5 is not a number of bytes"));
  EXPECT_THAT(refusal(with(R"("memory_bytes": {"GPU": {"limit": 1}})")), HasSubstr("give a list of 2"));
  EXPECT_THAT(refusal(R"({"units": ["CPU"], "times_us": {"CPU": [1e300]}})"), HasSubstr("is not a time"));
  EXPECT_THAT(refusal(R"({"units": ["CPU"], "times_us": {"CPU": []}})"), HasSubstr("'times_us': give a list"));
  std::string times = "1";
  for (int stage = 1; stage <= 100; ++stage) times += ", 1";
  EXPECT_THAT(refusal(R"({"units": ["CPU"], "times_us": {"CPU": [)" + times + "]}}"),
              HasSubstr("more than 100 stages"));
  EXPECT_THAT(refusal(R"({"units": ["CPU", "CPU"], "times_us": {"CPU": [1]}})"), HasSubstr("\"CPU\" is listed twice"));
  EXPECT_THAT(refusal(R"({"units": ["host"], "times_us": {"CPU": [1]}})"), HasSubstr("\"host\" is not a name"));
  EXPECT_THAT(refusal(R"({"units": 3, "times_us": {"CPU": [1]}})"), HasSubstr("give a list of 1 to 8 names"));
  EXPECT_THAT(refusal(R"({"units": ["CPU", "GPU"], "times_us": {"CPU": [1], "GPU": [1, 2]}})"),
              HasSubstr("'GPU': is [1,2]; give a list of 1"));
  EXPECT_THAT(refusal(R"({"units": ["CPU"], "times_us": {"CPU": [{"whole": 2, "fixed": 3}]}})"),
              HasSubstr("that exceeds the whole"));
  EXPECT_THAT(refusal(R"({"units": ["CPU"], "times_us": {"CPU": [{"whole": 2, "fix": 1}]}})"),
              HasSubstr("'CPU': has no meaning for 'fix'; use whole, fixed"));
  EXPECT_THAT(refusal(with(R"("memory_bytes": {"GPU": {"most": 1, "stages": [1, 2]}})")),
              HasSubstr("'GPU': has no meaning for 'most'; use limit, stages"));
}

TEST(PlanCostFile, has_laws_of_the_size_where_costs_depend_on_it) {
  const char* laws = R"({"units": ["CPU", "GPU"],
    "times_us": {"CPU": [{"fixed": 20, "per_node": 0.01, "per_edge": 0.002}, 7], "GPU": [{"per_node": 1}, 8]},
    "ranges_us": {"CPU": {"1-2": {"per_edge": 0.5}}},
    "transfers_us": {"CPU>GPU": {"fixed": 1, "per_edge": 0.001}},
    "divide_us": {"merge": {"per_node": 0.002}}})";
  const auto costs = parse_plan_costs(laws, "", GraphSize{1000, 5000});
  EXPECT_EQ(costs.time({1, 1}, 0, 1)->count(), 20'000 + 10'000 + 10'000);
  EXPECT_EQ(costs.time({1, 1}, 0, 0.5)->count(), 20'000 + 10'000);
  EXPECT_EQ(costs.time({1, 2}, 0, 1)->count(), 2'500'000);
  EXPECT_EQ(costs.time({1, 2}, 1, 1)->count(), 1'008'000);
  EXPECT_EQ(costs.transfer(1, 0, 1)->count(), 6'000);
  EXPECT_EQ(costs.divide({1, 1}, {0, 1})->merge.count(), 2'000);
  EXPECT_THAT(refusal(laws), HasSubstr("costs.json: 'CPU': depends on the size of a batch; give --nodes"));
  const auto refused = [](const std::string& time) -> std::string {
    try {
      parse_plan_costs(R"({"units": ["CPU"], "times_us": {"CPU": [)" + time + "]}}", "costs.json", GraphSize{10, 20});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused(R"({"per_node": -1})"), HasSubstr("'CPU': -1 is not a time in microseconds"));
  EXPECT_THAT(refused(R"({"per_node": 1, "whole": 2})"), HasSubstr("no meaning for 'whole'"));
  EXPECT_THAT(refused(R"({"per_edge": 3e12, "fixed": "no"})"), HasSubstr("takes longer than a year"));
}

TEST(PlanCostFile, is_told_from_what_a_sweep_measured_by_its_keys) {
  EXPECT_EQ(cost_file_kind(whole_file), CostFileKind::fixed);
  EXPECT_EQ(cost_file_kind(R"({"units": ["CPU"], "times_us": {"CPU": [{"per_node": 1}]}})"), CostFileKind::by_size);
  EXPECT_EQ(cost_file_kind(R"({"1,2,CPU,1": {"mean": 1}})"), CostFileKind::other);
  for (const char* json : {"", "[]", "{}", "{", R"({"units": 3})"})
    EXPECT_EQ(cost_file_kind(json), CostFileKind::fixed) << json;
}

}  // namespace
}  // namespace takt
