#include "costs/stage_measurement.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace takt
