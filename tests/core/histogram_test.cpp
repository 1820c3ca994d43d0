#include "core/histogram.h"

#include <gmock/gmock.h>

#include <numeric>

#include "core/text.h"

using testing::ElementsAre;
using testing::HasSubstr;

namespace takt {
namespace {

std::vector<Nanoseconds> microseconds(std::initializer_list<int> times) {
  std::vector<Nanoseconds> samples;
  for (const int time : times) samples.push_back(std::chrono::microseconds(time));
  return samples;
}

TEST(Histogram, counts_every_sample_once) {
  const auto samples = microseconds({10, 11, 11, 12, 12, 12, 13, 13, 14, 18});
  const Histogram histogram = histogram_of(samples, 8);
  EXPECT_EQ(std::accumulate(histogram.counts.begin(), histogram.counts.end(), histogram.beyond), samples.size());
  EXPECT_EQ(histogram.low, Duration(10));
  EXPECT_EQ(histogram.slowest, Duration(18));
}

TEST(Histogram, one_far_sample_does_not_press_the_others_together) {
  std::vector<Nanoseconds> samples;
  for (int i = 0; i < 100; ++i) samples.push_back(Nanoseconds(10'000 + 100 * (i % 10)));
  samples.push_back(std::chrono::milliseconds(5));
  const Histogram histogram = histogram_of(samples, 20);
  EXPECT_EQ(histogram.beyond, 1u);
  EXPECT_LT(histogram.high, Duration(12));
  EXPECT_THAT(histogram_line(samples), HasSubstr(", 1 slower (up to 5.00 ms)"));
}

TEST(Histogram, the_line_has_both_ends_and_a_bar_for_every_bin) {
  const auto samples = microseconds({10, 10, 10, 10, 10, 10, 10, 10, 20, 20});
  EXPECT_EQ(histogram_line(samples, 4), "10.0 µs █  ▂ 20.0 µs");
}

TEST(Histogram, few_or_equal_samples_have_no_shape) {
  EXPECT_EQ(histogram_line(microseconds({1, 2, 3, 4})), "");
  EXPECT_EQ(histogram_line(microseconds({7, 7, 7, 7, 7, 7})), "");
}

}  // namespace
}  // namespace takt
