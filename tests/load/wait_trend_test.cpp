#include "load/wait_trend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace takt {
namespace {

using namespace std::chrono_literals;

/// A sample each millisecond.
std::vector<RunnableSample> samples_of(const std::vector<double>& threads) {
  std::vector<RunnableSample> samples;
  for (const double count : threads) samples.push_back({static_cast<int>(samples.size()) * 1ms, count});
  return samples;
}

TEST(WaitTrend, a_steady_load_has_none) {
  EXPECT_DOUBLE_EQ(wait_trend(samples_of(std::vector<double>(100, 5)), 2).value(), 1);
  EXPECT_DOUBLE_EQ(wait_trend(samples_of(std::vector<double>(100, 1)), 2).value(), 1);
}

TEST(WaitTrend, threads_that_came_or_went_while_it_looked_are_told) {
  std::vector<double> threads(100, 1);
  std::fill(threads.begin() + 50, threads.end(), 3);  // half alone, half three on two processors
  EXPECT_NEAR(wait_trend(samples_of(threads), 2).value(), 1.5 / 1.25, 1e-12);
  std::reverse(threads.begin(), threads.end());
  EXPECT_NEAR(wait_trend(samples_of(threads), 2).value(), 1 / 1.25, 1e-12);
}

TEST(WaitTrend, threads_that_fit_on_the_processors_do_not_wait) {
  std::vector<double> threads(100, 1);
  std::fill(threads.begin() + 50, threads.end(), 3);
  EXPECT_DOUBLE_EQ(wait_trend(samples_of(threads), 4).value(), 1);
}

TEST(WaitTrend, few_samples_tell_nothing) {
  EXPECT_FALSE(wait_trend(samples_of(std::vector<double>(9, 1)), 2));
  EXPECT_FALSE(wait_trend({}, 2));
  const std::vector<RunnableSample> at_once(10, RunnableSample{1ms, 3});
  EXPECT_DOUBLE_EQ(wait_trend(at_once, 2).value(), 1) << "of no length";
}

}  // namespace
}  // namespace takt
