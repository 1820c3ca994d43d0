#include "flow/device_law.h"

#include <gtest/gtest.h>

#include <cmath>

namespace takt {
namespace {

DeviceLaw roofline() {
  DeviceLaw law;
  law.roofline = RooflineLaw{1e9, 2e9, Nanoseconds(100)};
  law.otherwise = Nanoseconds(7);
  return law;
}

TEST(DeviceLaw, the_slower_of_compute_and_memory_counts) {
  // 3000 flops at 1 per ns are 3000 ns, 2000 bytes at 2 per ns are 1000 ns; the launch costs 100.
  EXPECT_EQ(law_time(roofline(), {"Conv", 3000, 2000}).count(), 3100);
  EXPECT_EQ(law_time(roofline(), {"Conv", 10, 2000}).count(), 1100);
}

TEST(DeviceLaw, an_unknown_part_leaves_the_other) {
  EXPECT_EQ(law_time(roofline(), {"Conv", std::nullopt, 2000}).count(), 1100);
}

TEST(DeviceLaw, an_unknown_cost_takes_the_stated_time) {
  EXPECT_EQ(law_time(roofline(), {"Strange", std::nullopt, std::nullopt}).count(), 7);
}

TEST(DeviceLaw, the_table_comes_first) {
  auto law = roofline();
  law.by_type["Conv"] = {50, 0.5, 2};
  EXPECT_EQ(law_time(law, {"Conv", 100, 10}).count(), 50 + 50 + 20);
}

TEST(DeviceLaw, absurd_demands_stay_finite) {
  EXPECT_EQ(law_time(roofline(), {"Conv", 1e300, 1}).count(), 86'400'000'000'000);
}

TEST(DeviceLaw, parts_that_are_missing_count_nothing_and_times_are_whole_nanoseconds) {
  EXPECT_EQ(law_time(roofline(), {"Conv", 3000, std::nullopt}).count(), 3100);
  EXPECT_EQ(law_time(roofline(), {"Conv", 0.4, 0}).count(), 100);
  EXPECT_EQ(law_time(roofline(), {"Conv", 0.5, 0}).count(), 101);
  auto law = roofline();
  law.by_type["Add"] = {50, 0.5, 2};
  law.by_type["Nothing"] = {-3, 0, 0};
  EXPECT_EQ(law_time(law, {"Add", std::nullopt, 10}).count(), 70);
  EXPECT_EQ(law_time(law, {"Add", 10, std::nullopt}).count(), 55);
  EXPECT_EQ(law_time(law, {"Nothing", 10, 10}).count(), 0);
  law.roofline.reset();
  EXPECT_EQ(law_time(law, {"Conv", 3000, 2000}).count(), 7);
}

// Of the normal number that the same seed gives.
TEST(NoiseSource, scales_a_time_by_one_normal_number) {
  Random random(5);
  const double first = standard_normal(random), second = standard_normal(random);
  NoiseSource gaussian({NoiseShape::gaussian, 0.1}, 5), lognormal({NoiseShape::lognormal, 0.2}, 5);
  const auto rounded_millions = [](double factor) { return std::llround(1e6 * factor); };
  EXPECT_EQ(gaussian.apply(Nanoseconds(1'000'000)).count(), rounded_millions(1 + 0.1 * first));
  EXPECT_EQ(gaussian.apply(Nanoseconds(1'000'000)).count(), rounded_millions(1 + 0.1 * second));
  EXPECT_EQ(lognormal.apply(Nanoseconds(1'000'000)).count(), rounded_millions(std::exp(0.2 * first - 0.02)));
  NoiseSource none({NoiseShape::none, 0.1}, 5), still({NoiseShape::gaussian, 0}, 5);
  EXPECT_EQ(none.apply(Nanoseconds(77)).count(), 77);
  EXPECT_EQ(still.apply(Nanoseconds(77)).count(), 77);
}

TEST(NoiseSource, the_same_seed_gives_the_same_draws) {
  NoiseSource a({NoiseShape::lognormal, 0.1}, 7), b({NoiseShape::lognormal, 0.1}, 7),
      c({NoiseShape::lognormal, 0.1}, 8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto draw = a.apply(Nanoseconds(1'000'000));
    EXPECT_EQ(draw, b.apply(Nanoseconds(1'000'000)));
    differs |= draw != c.apply(Nanoseconds(1'000'000));
  }
  EXPECT_TRUE(differs);
}

TEST(NoiseSource, the_mean_is_kept_and_sigma_is_relative) {
  for (const auto shape : {NoiseShape::gaussian, NoiseShape::lognormal}) {
    NoiseSource noise({shape, 0.1}, 1);
    double sum = 0, squares = 0;
    constexpr int n = 20'000;
    for (int i = 0; i < n; ++i) {
      const double factor = static_cast<double>(noise.apply(Nanoseconds(1'000'000)).count()) / 1e6;
      sum += factor;
      squares += factor * factor;
    }
    // Standard errors: 0.0007 of the mean, 0.0005 of sigma; bounds are five of them.
    EXPECT_NEAR(sum / n, 1, 0.0035);
    EXPECT_NEAR(std::sqrt(squares / n - sum / n * (sum / n)), 0.1, 0.0025);
  }
}

TEST(NoiseSource, never_negative) {
  NoiseSource noise({NoiseShape::gaussian, 5}, 1);
  for (int i = 0; i < 1000; ++i) EXPECT_GE(noise.apply(Nanoseconds(1000)).count(), 0);
}

}  // namespace
}  // namespace takt
