// What ends a search, and what it says then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "plan/search/plan_words.h"
#include "plan/search/search.h"

namespace takt {
namespace {

std::string message_of_search(const PlanCosts& costs, const PlanSearchSettings& settings) {
  try {
    search_plans(costs, settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SearchLimits, is_not_behind_one_that_allows_less) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto costs = random_costs(2 * seed + 1, {.stages = 10, .slow_downs = true});
    PlanSearchSettings settings{.objective = PlanObjective::throughput, .units_once = false, .top = 1};
    settings.most_nodes = 20'000;
    settings.most_executions = 100'000;
    const auto value = [&](bool divide, bool once) {
      settings.divide = divide;
      settings.units_once = once;
      return search_plans(costs, settings).plans[0].value;
    };
    EXPECT_LE(value(true, false), value(false, false)) << "seed " << seed;
    EXPECT_LE(value(false, false), value(false, true)) << "seed " << seed;
    EXPECT_LE(value(true, true), value(false, true)) << "seed " << seed;
  }
}

TEST(SearchLimits, says_which_limit_it_ended_at) {
  const auto costs = random_costs(3, {.stages = 10, .slow_downs = true});
  PlanSearchSettings settings{.objective = PlanObjective::throughput, .units_once = false, .top = 1};
  settings.most_nodes = 50;
  EXPECT_EQ(search_plans(costs, settings).end, SearchEnd::partial_plans);
  settings.most_nodes = 2'000'000;
  settings.most_bytes = 100;  // of two
  const PlanSearch by_bytes = search_plans(costs, settings);
  EXPECT_EQ(by_bytes.end, SearchEnd::memory);
  EXPECT_LT(by_bytes.bytes, 100'000) << "one extension more than the limit at most";
  settings.most_bytes = std::int64_t{256} << 20;
  settings.most_executions = 5000;
  EXPECT_EQ(search_plans(costs, settings).end, SearchEnd::simulations);
}

TEST(SearchLimits, says_that_no_plan_fits_and_whether_that_is_proven) {
  auto costs = costs_of({{5, 5, 5, 5}, {9, 9, 9, 9}}, {"CPU", "GPU"});
  const PlanSearchSettings settings{.divide = false, .units_once = false};
  costs.set_memory(0, {4, 4, 4, 4}, 7);
  costs.set_memory(1, {4, 4, 4, 4}, 8);
  EXPECT_EQ(message_of_search(costs, settings),
            "no plan is possible: the stages need at least 16 B of memory, and the units have CPU 7 B, GPU 8 B");
  costs.set_memory(1, {4, 4, 4, 4}, 9);  // one stage and two of four
  EXPECT_THAT(message_of_search(costs, settings),
              testing::HasSubstr("no placement of the stages fits into the memory of the units"));
  costs.set_memory(0, {4, 4, 4, 4}, 8);
  EXPECT_EQ(search_plans(costs, settings).plans[0].value.count(), 5 + 5 + 9 + 9);
}

}  // namespace
}  // namespace takt
