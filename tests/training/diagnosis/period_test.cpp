// What comes every n-th step.
#include "training/steps/period.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace takt {
namespace {

/// "every 3: 1 4"; empty: nothing comes again.
std::string period_in(const std::vector<std::int64_t>& values, double times = 2) {
  const auto period = period_of(values, times);
  if (!period) return "";
  std::string text = "every " + std::to_string(period->length) + ":";
  for (const std::size_t at : period->long_ones) text += " " + std::to_string(at);
  return text;
}

TEST(Period, is_the_distance_of_values_that_all_others_are_below) {
  EXPECT_EQ(period_in({1, 9, 1, 1, 8, 2}), "every 3: 1 4");
  EXPECT_EQ(period_in({9, 1, 9, 2, 9}), "every 2: 0 2 4");
  EXPECT_EQ(period_in({9, 1, 1, 8}), "") << "a period is at most half of the values and one";
  EXPECT_EQ(period_in({9, 1, 1, 8, 1}), "every 3: 0 3");
  EXPECT_EQ(period_in({1, 9, 1, 1, 1, 8}), "");
  EXPECT_EQ(period_in({1, 9, 1, 1, 1, 8, 1}), "every 4: 1 5");
  EXPECT_EQ(period_in({1, 9, 1, 1, 1, 1}), "") << "it comes once";
  EXPECT_EQ(period_in({1, 9, 1, 9, 8, 2}), "") << "another one is as long";
  EXPECT_EQ(period_in({}), "");
}

TEST(Period, is_of_values_that_are_so_many_times_as_long_as_the_middle_of_the_others) {
  EXPECT_EQ(period_in({10, 20, 10, 20, 10}, 2), "");
  EXPECT_EQ(period_in({10, 20, 10, 21, 10}, 2), "every 2: 1 3") << "on average";
  EXPECT_EQ(period_in({10, 20, 10, 20, 10}, 1.9), "every 2: 1 3");
}

}  // namespace
}  // namespace takt
