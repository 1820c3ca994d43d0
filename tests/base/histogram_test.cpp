#include "base/table/histogram.h"

#include <gmock/gmock.h>

#include <numeric>

#include "base/basics/text.h"

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

// Of nine, the 95th percentile is 0.6 of the way from the eighth to the ninth.
TEST(Histogram, values_on_a_border_are_in_the_bin_that_begins_there) {
  const auto even = histogram_of(microseconds({0, 1, 2, 3, 4, 5, 6, 7, 8}), 4);
  EXPECT_THAT(even.counts, testing::ElementsAre(2, 2, 2, 3)) << "the last one is in the last bin";
  EXPECT_EQ(even.high, Duration(8));
  EXPECT_EQ(even.beyond, 0u);
  // The range ends at twice the distance to the percentile: 2 · 0.6 · 10 of the way to 20.
  const auto late = histogram_of(microseconds({0, 0, 0, 0, 0, 0, 0, 0, 20}), 2);
  EXPECT_DOUBLE_EQ(late.high.count(), 20);
  const auto same = histogram_of(microseconds({5, 5, 5}), 3);
  EXPECT_THAT(same.counts, testing::ElementsAre(3, 0, 0));
}

TEST(Histogram, has_a_third_as_many_bins_as_samples_and_at_least_ten) {
  for (const auto& [count, bins] : {std::pair(20, 10), {32, 10}, {33, 11}, {119, 39}, {120, 40}, {300, 40}}) {
    std::vector<Nanoseconds> samples;
    for (int i = 0; i < count; ++i) samples.push_back(std::chrono::microseconds(100 + i));
    const std::string line = histogram_line(samples);
    std::size_t bars = 0;
    for (std::size_t at = line.find("\u2588"); at != line.npos; at = line.find("\u2588", at + 1)) ++bars;
    for (const char* bar : {"\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587"})
      for (std::size_t at = line.find(bar); at != line.npos; at = line.find(bar, at + 1)) ++bars;
    EXPECT_EQ(bars, static_cast<std::size_t>(bins)) << count << ": " << line;
  }
}

}  // namespace
}  // namespace takt
