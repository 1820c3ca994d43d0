#include "measure/compare/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace takt {
namespace {

// 1 … 20 in any order: the twentieth that is fastest (1) and the slower half (11 …) are left out, 2 … 10 remain.
TEST(RunLevel, is_the_mean_between_the_fastest_twentieth_and_the_median) {
  std::vector<Nanoseconds> samples;
  for (int i = 0; i < 20; ++i) samples.emplace_back(1 + i * 7 % 20);
  const RunLevel level = run_level(samples).value();
  EXPECT_EQ(level.count, 20u);
  EXPECT_DOUBLE_EQ(level.log_time, std::log(6.0));
  EXPECT_DOUBLE_EQ(level.depth, std::log(6.0 / 2));
  EXPECT_EQ(level.blocks, 10);
}

// 1 … 6: 1, 2, 3 remain, mean 2. Winsorised they are 1 2 3 3 3 3, mean 2.5; half is kept, so a sample pulls by its
// distance from 2.5: −1.5, −0.5, then four times 0.5.
TEST(RunLevel, has_the_variance_of_a_trimmed_mean) {
  std::vector<Nanoseconds> samples;
  for (int i = 1; i <= 6; ++i) samples.emplace_back(i);
  const RunLevel level = run_level(samples).value();
  EXPECT_NEAR(level.independent_variance, (2.25 + 5 * 0.25) / 5 / 6, 1e-12);
  // Three blocks with means −1, 0.5, 0.5.
  EXPECT_EQ(level.blocks, 3);
  EXPECT_NEAR(level.variance, (1 + 2 * 0.25) / 2 / 3, 1e-12);
}

TEST(RunLevel, of_fewer_than_five_samples_with_a_time_is_unknown) {
  EXPECT_FALSE(run_level(std::vector<Nanoseconds>(4, Nanoseconds(7))));
  EXPECT_FALSE(run_level(std::vector<Nanoseconds>(9, Nanoseconds(0))));
  EXPECT_TRUE(run_level(std::vector<Nanoseconds>(5, Nanoseconds(7))));
}

}  // namespace
}  // namespace takt
