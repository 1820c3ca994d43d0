#include "plan/costs/stage_measurement.h"

#include <gtest/gtest.h>

#include <cmath>

namespace takt {
namespace {

TEST(StageMeasurement, keys_and_their_texts_are_one_to_one) {
  for (const StageKey& key : {StageKey{1000, 2000, "CPU", 3, 3}, StageKey{1, 0, "NPU", 1, 7}})
    EXPECT_EQ(parse_stage_key(to_string(key)), key);
  EXPECT_EQ(to_string(StageKey{1000, 2000, "CPU", 3, 3}), "1000,2000,CPU,3");
  EXPECT_EQ(to_string(StageKey{1000, 2000, "CPU", 1, 4}), "1000,2000,CPU,1-4");
}

TEST(StageMeasurement, other_texts_are_no_keys) {
  for (const char* text : {"", "1000,2000,CPU", "1000,2000,CPU,3,4", "1000,2000,,3", "1000,-1,CPU,3", "1000,2000,CPU,0",
                           "1000,2000,CPU,4-3", "1000,2000,CPU,3-", "1000,2000,CPU,-3", "1000,2000,CPU,100",
                           "99999999999999999999,1,CPU,1", "1000, 2000,CPU,3"})
    EXPECT_FALSE(parse_stage_key(text).has_value()) << text;
}

TEST(StageMeasurement, times_are_those_of_the_samples) {
  const auto times = times_of({Nanoseconds(3000), Nanoseconds(1000), Nanoseconds(2000)});
  ASSERT_TRUE(times.has_value());
  EXPECT_DOUBLE_EQ(times->mean.count(), 2);
  EXPECT_DOUBLE_EQ(times->min.count(), 1);
  EXPECT_DOUBLE_EQ(times->max.count(), 3);
  EXPECT_DOUBLE_EQ(times->median->count(), 2);
  EXPECT_DOUBLE_EQ(times->p90->count(), 2.8);
  EXPECT_DOUBLE_EQ(times->stddev->count(), 1);
  EXPECT_EQ(times->samples.front(), Nanoseconds(3000));  // in the order they were taken
  EXPECT_FALSE(times_of({}).has_value());
  EXPECT_FALSE(times_of({Nanoseconds(5)})->stddev.has_value());
}

StageTimes in_rounds(const std::vector<std::vector<std::int64_t>>& rounds) {
  std::vector<Nanoseconds> samples;
  for (const auto& round : rounds)
    for (const std::int64_t ns : round) samples.emplace_back(ns);
  StageTimes times = *times_of(std::move(samples));
  for (const auto& round : rounds) times.rounds.push_back(round.size());
  return times;
}

TEST(StageMeasurement, a_mean_is_as_wrong_as_its_rounds_are_apart) {
  const auto apart = error_of_mean(in_rounds({{100, 100, 100}, {120, 120, 120}, {110, 110, 110}}));
  EXPECT_EQ(apart->freedom, 2);
  EXPECT_NEAR(apart->standard_error.count() * 1000, 10 / std::sqrt(3), 0.01);  // deviation of 100, 120, 110 is 10
  const auto of_two = error_of_mean(in_rounds({{100}, {120, 120}}));
  EXPECT_EQ(of_two->freedom, 1);
  EXPECT_NEAR(of_two->standard_error.count() * 1000, 10, 0.01);
  EXPECT_EQ(error_of_mean(in_rounds({{90, 110}, {110, 90}}))->freedom, 3);  // alike: the samples say more
  EXPECT_FALSE(error_of_mean(in_rounds({{100}})).has_value());
}

}  // namespace
}  // namespace takt
