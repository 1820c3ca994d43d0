// What samples say at the borders: of the window, of what can be, of blanks.
#include "predict/prometheus/series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace takt {
namespace {

using SeriesSamples = std::vector<PrometheusSample>;
constexpr MetricWindow ten_seconds{990, 1000, 1000, 60};

/// A value, or why there is none.
std::string told_of(const SeriesSamples& samples, const SamplesExpected& expected,
                    const MetricWindow& window = ten_seconds) {
  const SeriesValue value = value_of({{}, samples}, expected, window);
  return value.value ? std::to_string(*value.value) : value.trouble;
}

TEST(PrometheusSeries, samples_at_both_ends_of_the_window_count) {
  const SamplesExpected gauge{SampleKind::gauge, {-100, 100}};
  EXPECT_EQ(told_of({{989, 50}, {990, 1}, {1000, 3}, {1001, 50}}, gauge), "2.000000");
  EXPECT_EQ(told_of({{1001, 50}}, gauge), "it has no sample in that time");
  EXPECT_EQ(told_of({{980, 5}, {989, 7}, {1001, 50}}, gauge), "7.000000");
  const SamplesExpected counter{SampleKind::counter, {0, 10}};
  EXPECT_EQ(told_of({{970, 0}, {980, 10}, {990, 30}, {1001, 99}}, counter), "2.000000") << "the last two";
  EXPECT_EQ(told_of({{990, 10}, {1000, 30}}, counter), "2.000000");
  const std::string one = "this counter has only one sample; query a longer time (lookback)";
  EXPECT_EQ(told_of({{995, 10}}, counter), one);
  EXPECT_EQ(told_of({{995, 10}, {995, 30}}, counter), one) << "at one time";
  EXPECT_EQ(told_of({{995, -1}}, counter), "its value is -1");
  EXPECT_EQ(told_of({{990, 0}, {995, 0}}, counter), "0.000000");
  const SeriesValue value = value_of({{}, {{991, 1}, {994, 2}, {998, 3}}}, gauge, ten_seconds);
  EXPECT_EQ(value.last, 998);
  EXPECT_EQ(value.span, 7);
  EXPECT_EQ(value.left_out, "");
}

TEST(PrometheusSeries, a_counter_may_grow_half_as_fast_again_as_its_rate_can_be) {
  const SamplesExpected counter{SampleKind::counter, {0, 2}};
  EXPECT_EQ(told_of({{990, 0}, {1000, 31.4}}, counter), "3.140000") << "5 % beyond one and a half times";
  EXPECT_EQ(told_of({{990, 0}, {1000, 32}}, counter), "reported 3.2, which is more than 2");
  EXPECT_EQ(told_of({{990, 0}, {1000, 30}, {1001, 30}}, counter), "3.000000");
}

TEST(PrometheusSeries, fields_that_a_gpu_leaves_blank_are_none_and_their_neighbours_are) {
  const SamplesExpected dcgm{SampleKind::gauge, {0, 1e20}, true}, other{SampleKind::gauge, {0, 1e20}, false};
  const std::string blank = "the GPU does not support this field of DCGM";
  for (const double value :
       {2147483632.0, 2147483640.0, 2147483648.0, 140737488355328.0, 140737488355344.0, 9223372036854775792.0}) {
    EXPECT_EQ(told_of({{995, value}}, dcgm), blank) << value;
    EXPECT_NE(told_of({{995, value}}, other), blank) << value;
  }
  for (const double value : {2147483631.0, 2147483649.0, 140737488355327.0, 140737488355345.0, 4294967294.0})
    EXPECT_EQ(told_of({{995, value}}, dcgm), std::to_string(value));
  EXPECT_EQ(told_of({{995, 4294967295.0}}, dcgm), "reported 4294967295, which is not a valid value");
  EXPECT_EQ(told_of({{995, 4294967295.0}}, other), "4294967295.000000");
  EXPECT_EQ(told_of({{995, 18446744073709549568.0}}, dcgm), "reported 1.844674407e+19, which is not a valid value");
  EXPECT_EQ(told_of({{995, std::nan("")}}, dcgm), "its value is nan");
}

TEST(PrometheusSeries, half_of_the_samples_that_are_none_is_too_many) {
  const SamplesExpected gauge{SampleKind::gauge, {0, 10}};
  EXPECT_EQ(told_of({{991, 50}, {992, 2}, {993, 4}}, gauge), "3.000000");
  EXPECT_EQ(told_of({{991, 50}, {992, 2}}, gauge), "reported 50, which is more than 10");
  EXPECT_EQ(told_of({{991, 50}, {992, 2}, {993, 60}, {994, 4}}, gauge),
            "reported 60, which is more than 10 (2 of 4 samples)");
  const SeriesValue left = value_of({{}, {{991, 50}, {992, 2}, {993, 4}}}, gauge, ten_seconds);
  EXPECT_EQ(left.left_out, "1 of 3 samples (reported 50, which is more than 10)");
}

TEST(PrometheusSeries, one_that_is_half_a_gap_behind_the_newest_is_still_told) {
  const auto told = [](SeriesSamples newest, SeriesSamples other) {
    const PrometheusSeries first{{}, std::move(newest)}, second{{}, std::move(other)};
    const SeriesList list = still_told({&second, &first}, ten_seconds);
    return list.size() == 2 ? "both" : list.size() == 1 && list[0] == &first ? "the newest" : "another";
  };
  // Scrapes every ten seconds: five behind.
  EXPECT_STREQ(told({{980, 1}, {990, 1}}, {{975, 1}, {985, 1}}), "both");
  EXPECT_STREQ(told({{980, 1}, {990, 1}}, {{974, 1}, {984.5, 1}}), "the newest");
  // One that has just begun has a gap of two seconds.
  EXPECT_STREQ(told({{990, 1}}, {{989, 1}}), "both");
  EXPECT_STREQ(told({{990, 1}}, {{988.5, 1}}), "the newest");
  EXPECT_STREQ(told({{980, 1}, {990, 1}, {1002, 1}}, {{995, 1}}), "another")
      << "what comes after the window is not told";
}

}  // namespace
}  // namespace takt
