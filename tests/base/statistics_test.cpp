#include "base/statistics/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/statistics/random.h"

using namespace std::chrono_literals;

namespace takt {
namespace {

TEST(Percentile, of_one_sample_is_that_sample) {
  std::vector<double> one{7};
  for (double fraction : {0.0, 0.5, 0.9, 1.0}) EXPECT_EQ(percentile(one, fraction), 7);
}

TEST(Percentile, interpolates_linearly_as_numpy_does) {
  // numpy.percentile([10..18, 100], 90) = 26.2: rank 0.9·9 = 8.1, so 18 + 0.1·82.
  std::vector<double> samples{10, 11, 12, 13, 14, 15, 16, 17, 18, 100};
  EXPECT_NEAR(percentile(samples, 0.9), 26.2, 1e-9);
  EXPECT_EQ(percentile(samples, 0), 10);
  EXPECT_EQ(percentile(samples, 1), 100);
  EXPECT_EQ(percentile(samples, 0.5), 14.5);
}

TEST(Median, of_an_even_number_is_between_the_two_in_the_middle) {
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3}), 3);
  EXPECT_EQ(median(std::vector<Nanoseconds>{4us, 1us}), Duration(2.5));
  EXPECT_EQ(median(std::vector<double>{}), std::nullopt);
  EXPECT_EQ(median(std::vector<Nanoseconds>{}), std::nullopt);
}

TEST(Variance, divides_by_one_less_than_the_values_and_needs_two) {
  EXPECT_EQ(mean(std::vector<double>{1, 2, 6}), 3);
  EXPECT_EQ(variance(std::vector<double>{1, 2, 6}), 7);  // (4 + 1 + 9) / 2
  EXPECT_EQ(variance(std::vector<double>{1e15 + 1, 1e15 + 3}), 2);
  EXPECT_EQ(mean(std::vector<double>{}), std::nullopt);
  EXPECT_EQ(variance(std::vector<double>{1}), std::nullopt);
}

TEST(Summarize, of_nothing_is_nothing_and_of_one_has_no_deviation) {
  EXPECT_FALSE(summarize(std::vector<Nanoseconds>{}));
  EXPECT_FALSE(summarize(std::vector<Duration>{}));
  std::vector<Nanoseconds> one{3us};
  auto summary = summarize(one);
  EXPECT_EQ(summary->mean, 3us);
  EXPECT_FALSE(summary->stddev);
}

TEST(Summarize, keeps_the_spread_of_large_close_values) {
  // One hour plus 1, 2, 3 ns: the deviation is 1 ns, which the one-pass formula loses altogether.
  std::vector<Nanoseconds> samples{1h + 1ns, 1h + 3ns, 1h + 2ns};
  auto summary = summarize(samples);
  EXPECT_NEAR(summary->stddev->count(), 0.001, 1e-5);
  EXPECT_EQ(summary->count, 3u);
  EXPECT_EQ(summary->min, Duration(1h + 1ns));
}

TEST(Summarize, of_durations_is_that_of_the_same_nanoseconds) {
  const std::vector<Nanoseconds> whole{5us, 1us, 2us};
  const auto summary = summarize(whole), same = summarize(std::vector<Duration>(whole.begin(), whole.end()));
  EXPECT_EQ(summary->median, 2us);
  EXPECT_EQ(same->median, summary->median);
  EXPECT_EQ(same->stddev, summary->stddev);
}

TEST(Summarize, has_a_p99_from_three_hundred_samples_on) {
  std::vector<Nanoseconds> samples;
  for (int i = 0; i < 299; ++i) samples.emplace_back(1000 * i);
  EXPECT_FALSE(summarize(samples)->p99);
  samples.emplace_back(299'000);
  EXPECT_NEAR(summarize(samples)->p99->count(), 296.01, 1e-9);
}

TEST(Bootstrap, needs_five_samples_and_repeats_itself) {
  std::vector<double> four{1, 2, 3, 4}, five{1, 2, 3, 4, 5};
  EXPECT_FALSE(bootstrap_median(four));
  auto first = bootstrap_median(five), second = bootstrap_median(five);
  EXPECT_EQ(first->low, second->low);
  EXPECT_LE(first->low, 3);
  EXPECT_GE(first->high, 3);
}

TEST(Bootstrap, reaches_as_far_up_as_down_where_values_lie_evenly) {
  std::vector<double> samples;
  for (int i = 1; i <= 101; ++i) samples.push_back(i);
  for (const double confidence : {0.5, 0.8, 0.95}) {
    const auto interval = bootstrap_mean(samples, confidence);
    EXPECT_NEAR(51 - interval->low, interval->high - 51, 0.6) << confidence;
  }
}

TEST(Bootstrap, covers_the_true_mean_about_as_often_as_it_says) {
  // 200 data sets of 40 standard normal values; the percentile bootstrap is a little narrow, so 95 % means 90-99 %.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(0, 1);
  int covered = 0;
  for (int set = 0; set < 200; ++set) {
    std::vector<double> samples(40);
    for (double& sample : samples) sample = normal(random);
    auto interval = bootstrap_mean(samples, 0.95, static_cast<std::uint64_t>(set));
    covered += interval->low <= 0 && 0 <= interval->high;
  }
  EXPECT_GE(covered, 180);
  EXPECT_LE(covered, 199);
}

/// The middles of 2,000 resamples, by their definition.
std::vector<double> sorted_medians(const std::vector<double>& odd, std::uint64_t seed) {
  LongRandom random(seed);
  std::vector<double> medians, drawn(odd.size());
  for (int i = 0; i < 2000; ++i) {
    for (double& value : drawn) value = odd[random() % odd.size()];
    std::sort(drawn.begin(), drawn.end());
    medians.push_back(drawn[odd.size() / 2]);
  }
  std::sort(medians.begin(), medians.end());
  return medians;
}

TEST(Bootstrap, of_a_median_is_read_off_the_resamples_of_its_seed) {
  const std::vector<double> samples{9, 1, 16, 4, 25};
  for (const std::uint64_t seed : {1u, 8u})
    for (const double confidence : {0.5, 0.95}) {
      const auto medians = sorted_medians(samples, seed);
      const auto interval = bootstrap_median(samples, confidence, seed);
      EXPECT_EQ(interval->low, percentile(medians, (1 - confidence) / 2));
      EXPECT_EQ(interval->high, percentile(medians, (1 + confidence) / 2));
      EXPECT_EQ(interval->confidence, confidence);
    }
  EXPECT_EQ(bootstrap_median(samples)->confidence, 0.95);
  EXPECT_FALSE(bootstrap_mean(std::vector<double>{1, 2, 3, 4}));
  EXPECT_TRUE(bootstrap_mean(samples));
}

TEST(Summarize, gives_each_figure_of_the_same_samples) {
  const auto summary = summarize(std::vector<Nanoseconds>{9us, 1us, 2us, 4us});
  EXPECT_EQ(summary->count, 4u);
  EXPECT_EQ(summary->mean, 4us);
  EXPECT_EQ(summary->min, 1us);
  EXPECT_EQ(summary->median, 3us);
  EXPECT_EQ(summary->max, 9us);
  EXPECT_NEAR(summary->p90.count(), 7.5, 1e-9);  // rank 2.7: 4 + 0.7 · 5
  EXPECT_NEAR(summary->stddev->count(), std::sqrt(38 / 3.0), 1e-9);
  EXPECT_FALSE(summary->p99);
}

// Of five a fifth is one: 1 and 100 are left out, 2 3 4 remain. Of four it is less than one: none.
TEST(TrimmedMean, leaves_out_as_many_at_both_ends) {
  const std::vector<Nanoseconds> five{Nanoseconds(100), Nanoseconds(3), Nanoseconds(1), Nanoseconds(4), Nanoseconds(2)};
  EXPECT_EQ(trimmed_mean(five, 0.2), 3);
  EXPECT_EQ(trimmed_mean(five, 0), 22);
  EXPECT_EQ(trimmed_mean(std::span(five).first(4), 0.2), 27);
  EXPECT_FALSE(trimmed_mean(std::span(five).first(0), 0.2));
}

}  // namespace
}  // namespace takt
