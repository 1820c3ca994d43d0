#include "measure/operators/typical.h"

#include <gtest/gtest.h>

#include <vector>

#include "measure/run/results.h"

namespace takt {
namespace {

TEST(TypicalTime, is_not_moved_by_a_few_slow_runs) {
  EXPECT_EQ(typical_time(std::vector{ns(100), ns(110), ns(105), ns(90'000), ns(95)}), Duration(ns(105)));
}

TEST(TypicalTime, of_a_branch_that_is_taken_in_half_of_the_runs_is_half) {
  EXPECT_EQ(typical_time(std::vector{ns(0), ns(100), ns(0), ns(100)}), Duration(ns(50)));
  EXPECT_EQ(typical_time(std::vector{ns(0), ns(100), ns(0), ns(0)}), Duration(ns(25)))
      << "of one in a quarter, a quarter";
}

TEST(TypicalTime, of_nothing_is_nothing) {
  EXPECT_EQ(typical_time({}), Duration(0));
  EXPECT_EQ(typical_time(std::vector{ns(0), ns(0)}), Duration(0));
}

TEST(Unsteadiness, is_told_from_half_above_the_median_on) {
  EXPECT_EQ(unsteadiness(std::vector{ns(10), ns(10), ns(10), ns(10), ns(30)}), std::nullopt) << "1.4";
  EXPECT_EQ(unsteadiness(std::vector{ns(8000), ns(8000), ns(8000), ns(8000), ns(28000)}), 1.5);
  EXPECT_DOUBLE_EQ(unsteadiness(std::vector{ns(10), ns(10), ns(10), ns(10), ns(60)}).value(), 2.0);
  EXPECT_EQ(unsteadiness(std::vector{ns(10), ns(10), ns(10), ns(900)}), std::nullopt) << "too few to have a middle";
}

}  // namespace
}  // namespace takt
