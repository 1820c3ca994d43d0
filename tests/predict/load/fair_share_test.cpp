#include "predict/load/fair_share.h"

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

TEST(FairShare, threads_beyond_the_processors_make_each_other_wait) {
  const auto five = fair_share_of(samples_of(std::vector<double>(100, 5)), 2);
  EXPECT_DOUBLE_EQ(five->wait_ratio, 1.5);
  EXPECT_DOUBLE_EQ(five->trend, 1);
  const auto one = fair_share_of(samples_of(std::vector<double>(100, 1)), 2);
  EXPECT_DOUBLE_EQ(one->wait_ratio, 0);
  EXPECT_DOUBLE_EQ(one->trend, 1);
}

TEST(FairShare, threads_that_came_or_went_while_it_looked_are_told) {
  std::vector<double> threads(100, 1);
  std::fill(threads.begin() + 50, threads.end(), 3);  // half alone, half three on two processors
  EXPECT_NEAR(fair_share_of(samples_of(threads), 2)->trend, 1.5 / 1.25, 1e-12);
  EXPECT_NEAR(fair_share_of(samples_of(threads), 2)->wait_ratio, 0.25, 1e-12);
  std::reverse(threads.begin(), threads.end());
  EXPECT_NEAR(fair_share_of(samples_of(threads), 2)->trend, 1 / 1.25, 1e-12);
  EXPECT_NEAR(fair_share_of(samples_of(threads), 2)->wait_ratio, 0.25, 1e-12);
}

TEST(FairShare, threads_that_fit_on_the_processors_do_not_wait) {
  std::vector<double> threads(100, 1);
  std::fill(threads.begin() + 50, threads.end(), 3);
  EXPECT_DOUBLE_EQ(fair_share_of(samples_of(threads), 4)->trend, 1);
  EXPECT_DOUBLE_EQ(fair_share_of(samples_of(threads), 4)->wait_ratio, 0);
}

TEST(FairShare, the_last_fifth_of_the_time_begins_with_its_first_sample) {
  // Of samples at 0 to 10 ms those from 8 ms on: three of eleven.
  std::vector<double> threads(11, 2);
  threads[8] = 8;  // waits for three turns more
  const auto turns = fair_share_of(samples_of(threads), 2);
  EXPECT_NEAR(turns->wait_ratio, 3.0 / 11, 1e-12);
  EXPECT_NEAR(turns->trend, (6.0 / 3) / (14.0 / 11), 1e-12);
  threads[8] = 2, threads[7] = 8;
  EXPECT_NEAR(fair_share_of(samples_of(threads), 2)->trend, 1 / (14.0 / 11), 1e-12);
}

TEST(FairShare, few_samples_tell_nothing) {
  EXPECT_TRUE(fair_share_of(samples_of(std::vector<double>(10, 1)), 2));
  EXPECT_FALSE(fair_share_of(samples_of(std::vector<double>(9, 1)), 2));
  EXPECT_FALSE(fair_share_of({}, 2));
  const std::vector<RunnableSample> at_once(10, RunnableSample{1ms, 3});
  EXPECT_DOUBLE_EQ(fair_share_of(at_once, 2)->trend, 1) << "of no length";
}

}  // namespace
}  // namespace takt
