#include "predict/answer/online_width.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/statistics/random.h"

namespace takt {
namespace {

TEST(OnlineWidth, says_nothing_before_nine_errors_are_known) {
  OnlineWidth online;
  for (int i = 1; i <= 8; ++i) online.observe(1, 0.01 * i);
  EXPECT_FALSE(online.at(1));
  online.observe(1, 0.09);
  ASSERT_TRUE(online.at(1));
  EXPECT_DOUBLE_EQ(online.at(1)->width, 0.09) << "the ninth smallest of nine";
  EXPECT_EQ(online.at(1)->runs, 9u);
}

TEST(OnlineWidth, errors_beside_loads_like_this_one_count) {
  OnlineWidth online;
  for (int i = 0; i < 30; ++i) online.observe(1, 0.5), online.observe(3, 0.05);
  EXPECT_DOUBLE_EQ(online.at(1.1)->width, 0.5);
  EXPECT_DOUBLE_EQ(online.at(2.9)->width, 0.05);
}

TEST(OnlineWidth, few_errors_are_not_pooled_over_all_loads) {
  OnlineWidth online;
  for (int i = 0; i < 20; ++i) online.observe(1, 0.01);
  for (int i = 0; i < 10; ++i) online.observe(3, 0.5);
  EXPECT_DOUBLE_EQ(online.at(3)->width, 0.5);
  EXPECT_EQ(online.at(3)->runs, 10u);
}

TEST(OnlineWidth, forgets_how_it_was_long_ago) {
  OnlineWidth online;
  for (int i = 0; i < 400; ++i) online.observe(1, 0.5);
  for (int i = 0; i < 300; ++i) online.observe(1, 0.1);
  EXPECT_DOUBLE_EQ(online.at(1)->width, 0.1);
}

TEST(OnlineWidth, a_quiet_machine_is_not_like_one_that_is_a_little_busy) {
  OnlineWidth online;
  for (int i = 0; i < 100; ++i)
    online.observe(1, 0.01), online.observe(i % 2 == 0 ? 1.06 : 1.3, i % 2 == 0 ? 0.05 : 0.3);
  EXPECT_DOUBLE_EQ(online.at(1.002)->width, 0.01);
  EXPECT_DOUBLE_EQ(online.at(1.06)->width, 0.05);
  EXPECT_DOUBLE_EQ(online.at(1.28)->width, 0.3);
}

TEST(OnlineWidth, loads_that_make_a_device_faster_differ_as_those_that_make_it_slower) {
  OnlineWidth online;
  for (int i = 0; i < 40; ++i) online.observe(0.64, 0.3), online.observe(0.9, 0.1), online.observe(1 / 0.64, 0.5);
  EXPECT_DOUBLE_EQ(online.at(0.65)->width, 0.3);
  EXPECT_DOUBLE_EQ(online.at(0.9)->width, 0.1);
  EXPECT_DOUBLE_EQ(online.at(1.55)->width, 0.5);
}

TEST(OnlineWidth, the_largest_error_bounds_what_is_not_known_yet) {
  OnlineWidth online;
  EXPECT_EQ(online.largest(), 0);
  online.observe(1.5, 0.3), online.observe(1, 0.1);
  EXPECT_EQ(online.largest(), 0.3);
}

/// Errors that grow by 1 % from one to the next: of one in four nine tenths of those before are smaller.
TEST(OnlineWidth, makes_up_for_errors_that_grow) {
  OnlineWidth online;
  int inside = 0;
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const double error = 0.001 * std::pow(1.01, i) * (0.5 + 0.5 * uniform(random));
    const auto interval = online.at(1);
    inside += interval && error <= interval->width;
    online.observe(1, error);
  }
  EXPECT_NEAR(inside / 191.0, 0.81, 0.04) << "0.73 where nothing is made up for";
}

/// Loads come and go: beside none, one prediction in three is far too low, since one begins; beside some it is right.
TEST(OnlineWidth, nine_in_ten_are_inside_in_each_part_of_the_load) {
  Random random(3);
  OnlineWidth online;
  int inside[2] = {}, all[2] = {};
  for (int i = 0; i < 2000; ++i) {
    const bool busy = uniform(random) < 0.5;
    const double factor = busy ? 2 + 0.2 * uniform(random) : 1;
    const double error = std::abs(0.03 * standard_normal(random)) + (!busy && uniform(random) < 0.33 ? 0.7 : 0);
    if (const auto interval = online.at(factor)) ++all[busy], inside[busy] += error <= interval->width;
    online.observe(factor, error);
  }
  for (int part = 0; part < 2; ++part) EXPECT_NEAR(static_cast<double>(inside[part]) / all[part], 0.9, 0.03) << part;
}

}  // namespace
}  // namespace takt
