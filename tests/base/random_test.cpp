#include "base/statistics/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace takt {
namespace {

// The first three numbers of SplitMix64 from 1234567, as its authors' reference gives them.
TEST(Random, is_splitmix64) {
  Random random(1234567);
  EXPECT_EQ(random(), 6457827717110365317u);
  EXPECT_EQ(random(), 3203168211198807973u);
  EXPECT_EQ(random(), 9817491932198370423u);
}

// The standard fixes the 10,000th number of this engine from its default seed.
TEST(Random, the_long_generator_is_the_standards) {
  LongRandom random(5489);
  random.discard(9999);
  EXPECT_EQ(random(), 9981545732273789042u);
}

TEST(Random, uniform_draws_stay_in_their_ranges) {
  struct Fixed {
    std::uint64_t bits;
    std::uint64_t operator()() const { return bits; }
  } least{0}, most{~std::uint64_t{0}};
  EXPECT_EQ(uniform(least), 0);
  EXPECT_LT(uniform(most), 1);
  EXPECT_GT(positive_uniform(least), 0);
  EXPECT_EQ(positive_uniform(most), 1);
}

// Of the first two numbers above: sqrt(-2 ln((a >> 11) + 1)/2^53)·cos(2π (b >> 11)/2^53).
TEST(Random, a_normal_draw_takes_the_length_from_the_first_number_and_the_angle_from_the_second) {
  Random random(1234567);
  EXPECT_NEAR(standard_normal(random), 0.6687418474759118, 1e-12);
  EXPECT_EQ(random(), 9817491932198370423u) << "two numbers are taken";
}

TEST(Random, normal_draws_have_mean_0_and_deviation_1) {
  Random random(3);
  double sum = 0, squares = 0;
  constexpr int draws = 20'000;
  for (int i = 0; i < draws; ++i) {
    const double z = standard_normal(random);
    sum += z, squares += z * z;
  }
  EXPECT_NEAR(sum / draws, 0, 0.03);  // four standard errors
  EXPECT_NEAR(squares / draws, 1, 0.05);
}

// 24 orders of four values, 24,000 shuffles: 1,000 each, with a deviation of 31.
TEST(Shuffle, gives_every_order_equally_often) {
  Random random(7);
  std::vector<int> counts(256);
  for (int i = 0; i < 24'000; ++i) {
    std::vector<int> values{0, 1, 2, 3};
    shuffle(values, random);
    ++counts[static_cast<std::size_t>(values[0] * 64 + values[1] * 16 + values[2] * 4 + values[3])];
  }
  counts.erase(std::remove(counts.begin(), counts.end(), 0), counts.end());
  ASSERT_EQ(counts.size(), 24u);
  for (const int count : counts) EXPECT_NEAR(count, 1'000, 160);
}

}  // namespace
}  // namespace takt
