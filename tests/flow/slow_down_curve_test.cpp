// Curves of slowdowns, and several of them together. Values between the points were worked out by another program from
// the formulas of the monotone cubic.
#include "flow/slow_down_curve.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "flow/stage_pressure.h"

namespace takt {
namespace {

SlowDownCurve curve(const std::vector<double>& levels, const std::vector<double>& slow_downs) {
  return SlowDownCurve(levels, slow_downs);
}

void expect_curve(const SlowDownCurve& found, const std::vector<std::pair<double, double>>& expected) {
  for (const auto& [pressure, slow_down] : expected) EXPECT_NEAR(found.at(pressure), slow_down, 1e-9) << pressure;
}

TEST(SlowDownCurve, goes_through_its_points_and_on_as_steep_as_its_last_two) {
  expect_curve(curve({0.25, 0.5, 1}, {1.2, 1.6, 2}), {{-1, 1},
                                                      {0, 1},
                                                      {0.1, 1.0592},
                                                      {0.25, 1.2},
                                                      {0.3, 1.266871794871795},
                                                      {0.5, 1.6},
                                                      {0.7, 1.8077538461538463},
                                                      {1, 2},
                                                      {1.5, 2.4}});
  expect_curve(curve({0.5}, {2}), {{0, 1}, {0.25, 1.5}, {0.5, 2}, {2, 5}});
  expect_curve(SlowDownCurve(), {{0.5, 1}, {3, 1}});
}

// 1.5, 1.2 and 0.9, which counts as 1, have the mean 37/30.
TEST(SlowDownCurve, never_falls_where_measurements_do) {
  const SlowDownCurve found = curve({0.25, 0.5, 0.75, 1}, {1.5, 1.2, 0.9, 1.8});
  expect_curve(found, {{0.1, 1.1325333333333334},
                       {0.25, 37 / 30.0},
                       {0.4, 37 / 30.0},
                       {0.75, 37 / 30.0},
                       {0.8, 1.2650666666666668},
                       {0.9, 1.4781333333333333},
                       {1, 1.8},
                       {1.5, 1.8 + 0.5 * (1.8 - 37 / 30.0) / 0.25}});
  EXPECT_TRUE(found.is_ever_above_one());
  EXPECT_FALSE(curve({0.5, 1}, {0.9, 1}).is_ever_above_one());
  EXPECT_FALSE(SlowDownCurve().is_ever_above_one());
}

TEST(SlowDownCurve, of_several_is_their_mean_at_each_level) {
  const SlowDownCurve a = curve({0.5, 1}, {1.5, 3}), b = curve({0.25, 1}, {1, 2});
  const std::array curves{&a, &b};
  const auto mean = SlowDownCurve::mean(curves, std::array{0.25, 0.75});
  EXPECT_NEAR(mean.at(0.5), 0.25 * 1.5 + 0.75 * b.at(0.5), 1e-12);
  EXPECT_NEAR(mean.at(1), 2.25, 1e-12);
}

/// Straight up to 1 + `most` at full pressure.
SlowDownCurve straight(double most) { return curve({0.5, 1}, {1 + most / 2, 1 + most}); }

TEST(StagePressure, slow_downs_of_several_resources_are_the_largest_and_a_share_of_the_others) {
  const StageContention stage{{straight(1), straight(3), straight(0.5)}, {0.1, 0.2, 0.3}, 0.25};
  const std::array pressure{0.5, 1.0, 1.0};
  const LogSlowDowns logs = log_slow_downs(stage, pressure);
  EXPECT_NEAR(logs.largest, std::log(4), 1e-9);
  EXPECT_NEAR(logs.others, std::log(1.5 * 1.5), 1e-9);
  EXPECT_NEAR(logs.together(0), std::log(4), 1e-9);
  EXPECT_NEAR(slow_down_under(stage, pressure), 4 * std::pow(2.25, 0.25), 1e-9);
  EXPECT_EQ(slow_down_under(stage, std::array{0.0, 0.0, 0.0}), 1);
}

TEST(StagePressure, of_stages_in_turn_is_weighted_by_their_shares) {
  const StageContention a{{straight(1), straight(3)}, {0.1, 0.2}, 0.5}, b{{straight(2), straight(1)}, {0.5, 0.6}, 1};
  const std::array stages{&a, &b};
  const StageContention mean = mean_contention(stages, std::array{0.75, 0.25});
  ASSERT_EQ(mean.pressure.size(), 2u);
  EXPECT_NEAR(mean.pressure[0], 0.2, 1e-12);
  EXPECT_NEAR(mean.pressure[1], 0.3, 1e-12);
  EXPECT_NEAR(mean.weaker_share, 0.625, 1e-12);
  EXPECT_NEAR(mean.sensitivity[0].at(1), 2.25, 1e-12);
  EXPECT_NEAR(mean.sensitivity[1].at(1), 3.5, 1e-12);
}

}  // namespace
}  // namespace takt
