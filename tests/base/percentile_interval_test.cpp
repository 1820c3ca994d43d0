#include "base/statistics/percentile_interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/statistics/random.h"
#include "base/statistics/statistics.h"

namespace takt {
namespace {

TEST(PercentileInterval, a_percentile_needs_three_samples_beyond_it) {
  EXPECT_EQ(samples_for_percentile(0.99), 300u);
  EXPECT_EQ(samples_for_percentile(0.999), 3000u);
  EXPECT_EQ(samples_for_percentile(0.01), 300u) << "on either side";
  EXPECT_EQ(samples_for_percentile(0.9), 30u);
  EXPECT_EQ(samples_for_percentile(0.5), 6u);
  EXPECT_EQ(samples_for_percentile(1), 1u);
  EXPECT_EQ(samples_for_percentile(0), 1u);
}

TEST(PercentileInterval, of_independent_samples_is_that_of_the_binomial) {
  // 25 samples in an order without a pattern; of Bin(25, 1/2) less than 8 are seen with 0.0216 and less than 9 with
  // 0.0539: the low end is (0.025 - 0.0216) / 0.0323 of the way from rank 8... and the high end mirrors it.
  std::vector<double> samples;
  for (int i = 0; i < 25; ++i) samples.push_back(1 + (i * 7) % 25);
  const auto found = percentile_interval(samples, 0.5);
  ASSERT_TRUE(found.low && found.high);
  EXPECT_NEAR(*found.low, 8.104158, 1e-6);
  EXPECT_NEAR(*found.low + *found.high, 26, 1e-6) << "as far below the middle as above it";
}

TEST(PercentileInterval, ends_that_no_sample_reaches_are_missing) {
  std::vector<double> samples;
  for (int i = 0; i < 100; ++i) samples.push_back((i * 37) % 100);
  const auto found = percentile_interval(samples, 0.99);
  EXPECT_TRUE(found.low);
  EXPECT_FALSE(found.high) << "of a hundred the largest is below the p99 with 37 %";
  const auto least = percentile_interval(samples, 0.01);
  EXPECT_FALSE(least.low);
  EXPECT_TRUE(least.high);
  for (const auto& none : {percentile_interval({}, 0.5), percentile_interval(std::vector<double>{1, 2, 3, 4}, 0.5),
                           percentile_interval(samples, 1), percentile_interval(samples, 0)})
    EXPECT_FALSE(none.low || none.high);
}

// Bin(6, 1/2) is 0 with 1/64, 1 with 6/64: 0.025 is a tenth of the way over the 1, and the other end mirrors it. Of five
// samples 0 has 1/32 already, more than 0.025 and less than 0.05.
TEST(PercentileInterval, of_few_samples_ends_between_the_first_and_the_last) {
  const auto six = percentile_interval(std::vector<double>{3, 1, 6, 2, 5, 4}, 0.5);
  EXPECT_NEAR(six.low.value_or(0), 1.1, 1e-9);
  EXPECT_NEAR(six.high.value_or(0), 5.9, 1e-9);
  const std::vector<double> five{1, 5, 2, 4, 3};
  EXPECT_FALSE(percentile_interval(five, 0.5).low || percentile_interval(five, 0.5).high);
  const auto narrower = percentile_interval(five, 0.5, 0.9);
  EXPECT_NEAR(narrower.low.value_or(0), 1.12, 1e-9);
  EXPECT_NEAR(narrower.high.value_or(0), 4.88, 1e-9);
}

// n / (1 + 2 Σ ρ) worked out from the definition by another program: runs of 20 and of 8 samples, six slow ones of 24,
// and runs that are longer than the 200 lags that are looked at.
TEST(PercentileInterval, correlations_are_summed_while_they_are_above_noise) {
  const auto runs_of = [](int length, int count) {
    std::vector<double> samples;
    for (int i = 0; i < count; ++i) samples.push_back((i / length) % 2);
    return effective_samples(samples, 0.5);
  };
  EXPECT_NEAR(runs_of(20, 400), 38.929440, 1e-5);
  EXPECT_NEAR(runs_of(8, 32), 6.918919, 1e-5);
  EXPECT_NEAR(runs_of(600, 2400), 8.458150, 1e-5);
  EXPECT_EQ(runs_of(3, 24), 24);
  std::vector<double> slow_first(24);
  std::fill_n(slow_first.begin(), 6, 1.0);
  EXPECT_NEAR(effective_samples(slow_first, 0.5), 4.453608, 1e-5);
  EXPECT_EQ(effective_samples(slow_first, 1), 24) << "none is above";
}

TEST(PercentileInterval, samples_that_come_in_runs_count_for_fewer) {
  std::vector<double> runs, alternating;
  for (int i = 0; i < 400; ++i) runs.push_back((i / 20) % 2), alternating.push_back(i % 2);
  EXPECT_LT(effective_samples(runs, 0.5), 60);
  EXPECT_DOUBLE_EQ(effective_samples(alternating, 0.5), 400) << "never more than there are";
  EXPECT_DOUBLE_EQ(effective_samples(std::vector<double>(10, 1.0), 1), 10) << "what does not differ";
  EXPECT_DOUBLE_EQ(effective_samples({}, 1), 0);
}

/// Latencies of a server whose slow runs come together: `memory` is the correlation of neighbours. Their distribution is
/// that of exp(z) with a second, slower mode for z above 1.5; z is standard normal, so quantiles are known.
std::vector<double> served(std::size_t count, double memory, Random& random) {
  std::vector<double> latencies;
  double z = standard_normal(random);
  for (std::size_t i = 0; i < count; ++i) {
    latencies.push_back(std::exp(z) + (z > 1.5 ? 20 : 0));
    z = memory * z + std::sqrt(1 - memory * memory) * standard_normal(random);
  }
  return latencies;
}

double latency_at(double z) { return std::exp(z) + (z > 1.5 ? 20 : 0); }

/// How often the interval holds the true quantile on 200 servers, each measured ten times.
double coverage(double fraction, double z, std::size_t count) {
  int held = 0, all = 0;
  Random random(7);
  for (int server = 0; server < 200; ++server)
    for (int turn = 0; turn < 10; ++turn, ++all) {
      const auto found = percentile_interval(served(count, 0.2 * (server % 5), random), fraction);
      const double truth = latency_at(z);
      held += found.low.value_or(0) <= truth && truth <= found.high.value_or(1e9);
    }
  return static_cast<double>(held) / all;
}

TEST(PercentileInterval, covers_the_true_percentile_of_two_hundred_servers_as_often_as_it_says) {
  EXPECT_NEAR(coverage(0.5, 0.0, 300), 0.95, 0.02);
  EXPECT_NEAR(coverage(0.9, 1.2815515655446004, 1000), 0.95, 0.02);
  EXPECT_NEAR(coverage(0.99, 2.3263478740408408, 1000), 0.95, 0.02);
  EXPECT_NEAR(coverage(0.99, 2.3263478740408408, 3000), 0.95, 0.02);
}

}  // namespace
}  // namespace takt
