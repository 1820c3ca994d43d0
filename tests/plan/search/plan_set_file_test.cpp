#include "plan/sets/set_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "plan/search/plan_words.h"
#include "refused.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Json = nlohmann::json;

/// One stage: the CPU takes 1 ns per row, the GPU 1000 ns and 0.5 ns per row. They cross at 2000 rows.
std::shared_ptr<const PlanCosts> crossing(const GraphSize& size) {
  return std::make_shared<PlanCostTable>(costs_of({{rows_of(size)}, {1000 + rows_of(size) / 2}}, {"CPU", "GPU"}));
}

PlanSet small_set() {
  PlanSet set = compile_plan_set(crossing, {{400, 600}, {500, 1000}, {2000, 2000}},
                                 {.search = {.divide = false}, .switch_cost = Nanoseconds(100)});
  set.files = {{"costs.json", "0123456789abcdef"}};
  return set;
}

Json small_file() { return Json::parse(to_json(small_set(), {})); }

std::string set_refusal(const std::string& text) {
  try {
    parse_plan_set(text, "plans.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(PlanSetFile, is_the_same_when_it_is_read_again) {
  const PlanSet set = small_set();
  const std::string text = to_json(set, {});
  const PlanSet again = parse_plan_set(text, "plans.json");
  EXPECT_EQ(to_json(again, {}), text);
  EXPECT_EQ(again.plans, set.plans);
  EXPECT_EQ(again.files, set.files);
  EXPECT_EQ(again.points[2].costs, set.points[2].costs);
  EXPECT_EQ(again.thresholds[0].up->nodes, set.thresholds[0].up->nodes);
  EXPECT_EQ(again.search().divide, false);
}

TEST(PlanSetFile, that_is_none_is_refused) {
  EXPECT_THAT(set_refusal(""), HasSubstr("plans.json: is empty"));
  EXPECT_THAT(set_refusal("{}"), HasSubstr("plans.json: is not a plan set; make one with 'takt plan compile'"));
  EXPECT_THAT(set_refusal(R"({"takt_plan_set": 1})"), HasSubstr("plans.json: has no 'takt'"));
  EXPECT_THAT(set_refusal(R"({"takt_plan_set": 1, "takt_plan_set": 1})"), HasSubstr("'takt_plan_set' is listed twice"));
  EXPECT_THAT(set_refusal(R"({"takt_plan_set": NaN})"), HasSubstr("is not JSON"));
}

TEST(PlanSetFile, without_any_one_of_its_keys_is_refused) {
  const Json file = small_file();
  for (const auto& [key, value] : file.items()) {
    Json less = file;
    less.erase(key);
    EXPECT_NE(set_refusal(less.dump()), "") << key;
  }
  for (const char* list : {"costs", "sizes", "thresholds"})
    for (const auto& [key, value] : file[list][0].items()) {
      Json less = file;
      less[list][0].erase(key);
      EXPECT_THAT(set_refusal(less.dump()), HasSubstr("has no '" + key + "'")) << list;
    }
}

/// The file with one value changed.
std::string set_with(const char* pointer, const Json& value) {
  Json file = small_file();
  file[Json::json_pointer(pointer)] = value;
  return set_refusal(file.dump());
}

TEST(PlanSetFile, with_a_wrong_value_names_it) {
  EXPECT_EQ(set_with("/tolerance", 0.5), "");
  EXPECT_THAT(set_with("/thresholds/1", small_file()["thresholds"][0]),
              HasSubstr("threshold 2: the best plan does not change there"));
  EXPECT_THAT(set_with("/takt_plan_set", 2), HasSubstr("'takt_plan_set' is 2; give a whole number from 1 to 1"));
  EXPECT_THAT(set_with("/more", 2), HasSubstr("'more' is not a known key"));
  EXPECT_THAT(set_with("/objective", "speed"), HasSubstr("'objective' is 'speed'; use latency or throughput"));
  EXPECT_THAT(set_with("/units", Json::array({"CPU", "CPU"})), HasSubstr("'units' is not a list"));
  EXPECT_THAT(set_with("/units", Json::array({"CPU", "NPU"})), HasSubstr("plan 2: block 1: the unit 'GPU'"));
  EXPECT_THAT(set_with("/stages", 2), HasSubstr("plan 1: ends with stage 1, but there are 2"));
  EXPECT_THAT(set_with("/switch_cost_ns", -1), HasSubstr("'switch_cost_ns' is -1; give a whole number from 0"));
  EXPECT_THAT(set_with("/switch_cost_ns", 1.5), HasSubstr("'switch_cost_ns' is 1.5"));
  EXPECT_THAT(set_with("/tolerance", 1), HasSubstr("'tolerance' is 1; give a number from 0 to below 1"));
  EXPECT_THAT(set_with("/plans/1", small_file()["plans"][0]), HasSubstr("plan 2: CPU[1] is listed twice"));
  EXPECT_THAT(set_with("/plans/1", 3), HasSubstr("plan 2: is not a plan"));
  EXPECT_THAT(set_with("/sizes/1/edges", 100),
              HasSubstr("size 2: 500 nodes and 100 edges overlap 400 nodes and 600 edges"));
  EXPECT_THAT(set_with("/sizes/1/nodes", 0), HasSubstr("size 2: 'nodes' is 0; give a whole number from 1"));
  EXPECT_THAT(set_with("/sizes/1/nodes", 18446744073709551615u), HasSubstr("size 2: 'nodes' is 18446744073709551615"));
  EXPECT_THAT(set_with("/sizes/1/costs_ns", Json::array({1})), HasSubstr("'costs_ns' has 1 times for 2 plans"));
  EXPECT_THAT(set_with("/sizes/1/costs_ns/0", "1us"), HasSubstr("'costs_ns' is \"1us\"; give a whole number"));
  EXPECT_THAT(set_with("/sizes/1/best", 1), HasSubstr("size 2: plan 1 is not the best for these costs"));
  EXPECT_THAT(set_with("/sizes/1/best", 2), HasSubstr("size 2: 'best' is 2; give a whole number from 0 to 1"));
  EXPECT_THAT(set_with("/sizes/1/best", -1), HasSubstr("size 2: 'best' is -1; give a whole number from 0 to 1"));
  EXPECT_EQ(set_with("/sizes/2/best", 1), "") << "the last of the plans";
  EXPECT_THAT(set_with("/sizes/1/costs_ns", Json::array({nullptr, nullptr})),
              HasSubstr("is not the best for these costs"));
  EXPECT_THAT(set_with("/sizes/1/extrapolated", 0), HasSubstr("'extrapolated' is 0; give true or false"));
  EXPECT_THAT(set_with("/thresholds/0/at/edges", 40'000), HasSubstr("threshold 1: 'at' is not between 500 nodes"));
  EXPECT_THAT(set_with("/thresholds/0/at", nullptr), HasSubstr("threshold 1: 'at' is not between"));
  EXPECT_THAT(set_with("/thresholds/0/above", 0),
              HasSubstr("is for a switch from plan 0 to 0, but the best plan changes from 0 to 1"));
  EXPECT_THAT(set_with("/thresholds", Json::array()), HasSubstr("'thresholds' has no entry for the switch before"));
  EXPECT_THAT(set_with("/thresholds/1", small_file()["thresholds"][0]),
              HasSubstr("threshold 2: the best plan does not change there"));
  EXPECT_THAT(set_with("/costs/0/file", 4), HasSubstr("costs 1: 'file' is 4; give a string"));
  EXPECT_THAT(set_with("/sizes", Json::array()), HasSubstr("'sizes' has 0 entries; give 1 to 100000"));
}

TEST(PlanSet, expects_of_any_size_what_its_neighbours_say) {
  const PlanSet set = small_set();
  // By rows: 1000, 1500, 4000. In between and beyond, along straight lines.
  EXPECT_THAT(set.expected({100, 1150}).costs, ElementsAre(Nanoseconds(1250), Nanoseconds(1625)));
  EXPECT_EQ(set.expected({100, 1150}).best, 0);
  EXPECT_FALSE(set.expected({100, 1150}).extrapolated);
  EXPECT_EQ(set.expected({3000, 0}).best, 1);
  EXPECT_THAT(set.expected({2000, 2000}).costs, ElementsAre(Nanoseconds(4000), Nanoseconds(3000)));
  EXPECT_THAT(set.expected({5000, 0}).costs, ElementsAre(Nanoseconds(5000), Nanoseconds(3500)));
  EXPECT_TRUE(set.expected({5000, 0}).extrapolated);
  EXPECT_THAT(set.expected({100, 100}).costs, ElementsAre(Nanoseconds(200), Nanoseconds(1100)));
  EXPECT_TRUE(set.expected({100, 100}).extrapolated);
}

TEST(PlanSet, keeps_away_from_plans_that_are_not_possible_nearby) {
  PlanSet set = small_set();
  set.points[2].costs[0].reset();
  EXPECT_THAT(set.expected({1000, 1000}).costs, ElementsAre(std::nullopt, testing::_));
  EXPECT_THAT(set.expected({5000, 0}).costs, ElementsAre(std::nullopt, testing::_));
  EXPECT_TRUE(set.expected({700, 600}).costs[0].has_value());
}

TEST(PlanSet, is_refused_where_no_plan_is_possible_or_sizes_do_not_grow) {
  PlanSet set = small_set();
  for (auto& cost : set.points[1].costs) cost.reset();
  for (auto& cost : set.points[2].costs) cost.reset();
  const auto refusal = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(
      refusal([&] {
        set.expected({1000, 1000});
      }),
      "plan set: no plan of the set is possible at 1000 nodes and 1000 edges; compile it with a size near this one");
  EXPECT_THAT(refusal([] {
                compile_plan_set(crossing, {{500, 1000}, {400, 600}}, {.search = {.divide = false}});
              }),
              HasSubstr("400 nodes and 600 edges"));
}

TEST(PlanSet, has_a_stretch_of_sizes_for_each_plan) {
  const auto stretches = stretches_of(small_set());
  ASSERT_EQ(stretches.size(), 2u);
  EXPECT_EQ(stretches[0].plan, 0);
  EXPECT_EQ(rows_of(stretches[0].first), 1000);
  // 2001 and 2199 rows are enough; the line from 1500 to 4000 rows has no size with as many.
  EXPECT_EQ(rows_of(stretches[0].end), 2002);
  EXPECT_EQ(rows_of(*stretches[0].up), 2200);
  EXPECT_EQ(rows_of(stretches[1].end), 4000);
  EXPECT_EQ(rows_of(*stretches[1].down), 1800);
}

TEST(PlanSet, flags_sizes_beyond_what_was_measured) {
  PlanSetSettings settings{.search = {.divide = false}};
  settings.extrapolated = [](const Plan&, const GraphSize& size) { return size.nodes > 1000; };
  const PlanSet set = compile_plan_set(crossing, {{400, 600}, {500, 1000}, {2000, 2000}}, settings);
  EXPECT_FALSE(set.points[1].extrapolated);
  EXPECT_TRUE(set.points[2].extrapolated);
  EXPECT_EQ(stretches_of(set)[1].extrapolated, 1);
  EXPECT_EQ(stretches_of(set)[0].points, 2);
  EXPECT_TRUE(set.expected({1000, 1000}).extrapolated);
  EXPECT_FALSE(set.expected({450, 800}).extrapolated);
}

TEST(SizeLine, has_sizes_in_the_order_of_their_rows) {
  const auto sizes = in_order_of_rows({{3000, 5000}, {1000, 2000}, {1, 5000}});
  EXPECT_EQ(rows_of(sizes[0]), 3000);
  EXPECT_EQ(rows_of(sizes[1]), 5001);
  EXPECT_EQ(rows_of(sizes[2]), 8000);
  EXPECT_EQ(
      refused_with([&] {
        in_order_of_rows({{1000, 3000}, {2000, 2000}});
      }),
      "plan set: 2000 nodes and 2000 edges do not have more rows (nodes + edges) than 1000 nodes and 3000 edges; leave "
      "one out");
  EXPECT_EQ(
      refused_with([&] {
        in_order_of_rows({{1000, 3000}, {1000, 3000}});
      }),
      "plan set: 1000 nodes and 3000 edges do not have more rows (nodes + edges) than 1000 nodes and 3000 edges; leave "
      "one out");
}

TEST(SizeLine, grows_by_the_same_factor_from_one_size_to_another) {
  const auto sizes = sizes_between({1000, 0}, {8000, 8000}, 5);
  ASSERT_EQ(sizes.size(), 5u);
  for (std::size_t s = 1; s < 5; ++s) EXPECT_NEAR(double(rows_of(sizes[s])) / double(rows_of(sizes[s - 1])), 2, 0.01);
  EXPECT_EQ(sizes.back().edges, 8000);
  EXPECT_EQ(sizes_between({1, 0}, {3, 0}, 16).size(), 3u);
  EXPECT_EQ(
      refused_with([&] {
        sizes_between({10, 0}, {5, 5}, 4);
      }),
      "plan set: 5 nodes and 5 edges do not have more rows (nodes + edges) than 10 nodes and 0 edges; leave one out");
  const SizeLine line({{1000, 0}, {2000, 1000}, {2000, 5000}});
  EXPECT_EQ(line.with_rows(2000).nodes, 1500);
  EXPECT_EQ(line.with_rows(5000).edges, 3000);
  EXPECT_EQ(line.with_rows(9999).edges, 5000);
  EXPECT_EQ(line.at(1001).edges, 1001);
  EXPECT_EQ(line.steps(), 5000);
}

}  // namespace
}  // namespace takt
