#include "machine/roofline.h"

#include <gmock/gmock.h>

namespace takt {
namespace {

/// 100 GFLOP/s, a cache of 1 MB with 50 GB/s, memory with 10 GB/s; with one thread half of all.
Peaks machine() {
  const auto pair = [](double all) { return PeakPair{{all / 2, all / 2}, {all, all}}; };
  Peaks peaks;
  peaks.f32 = pair(100e9);
  peaks.levels.push_back({"L2", 1'000'000, 1'000'000, pair(50e9), pair(40e9)});
  peaks.levels.push_back({"DRAM", std::nullopt, std::nullopt, pair(10e9), pair(8e9)});
  return peaks;
}

Duration us(double count) { return Duration(count); }

TEST(Roofline, much_arithmetic_on_few_bytes_is_compute_bound) {
  // 1e9 FLOP take 10 ms at least, 1e6 bytes 20 us.
  const auto found = roofline({1e9, 1e6, us(20'000)}, machine());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bound, Bound::compute);
  EXPECT_DOUBLE_EQ(found->peak_share, 0.5);
}

TEST(Roofline, a_large_copy_is_memory_bound) {
  const auto found = roofline({0.0, 1e8, us(12'500)}, machine());  // 10 ms at 10 GB/s
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bound, Bound::memory);
  EXPECT_DOUBLE_EQ(found->peak_share, 0.8);
}

TEST(Roofline, what_fits_a_cache_is_held_to_its_bandwidth) {
  const auto found = roofline({0.0, 1e6, us(40)}, machine());  // 20 us at 50 GB/s
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->peak_share, 0.5);
}

TEST(Roofline, a_level_is_no_slower_than_the_one_behind_it) {
  Peaks disturbed = machine();
  disturbed.levels[0].read = disturbed.levels[0].copy = {{1e9, 1e9}, {1e9, 1e9}};
  EXPECT_DOUBLE_EQ(roofline({0.0, 1e6, us(200)}, disturbed)->peak_share, 0.5);  // 100 us at 10 GB/s
}

TEST(Roofline, far_below_both_roofs_is_overhead) {
  const auto found = roofline({1e3, 1e3, us(10)}, machine());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bound, Bound::overhead);
}

TEST(Roofline, one_thread_is_held_to_the_peaks_of_one) {
  OpRate rate{1e9, 1e6, us(20'000)};
  rate.one_thread = true;
  EXPECT_DOUBLE_EQ(roofline(rate, machine())->peak_share, 1.0);
}

TEST(Roofline, missing_figures_have_no_verdict) {
  EXPECT_FALSE(roofline({std::nullopt, 1e6, us(10)}, machine()));
  EXPECT_FALSE(roofline({1e6, std::nullopt, us(10)}, machine()));
  EXPECT_FALSE(roofline({1e6, 1e6, us(0)}, machine()));
  OpRate rate{1e6, 1e6, us(10)};
  rate.bf16 = true;
  EXPECT_FALSE(roofline(rate, machine()));  // this CPU has no bfloat16
}

TEST(Intensity, is_operations_per_byte) {
  EXPECT_DOUBLE_EQ(*intensity({6.0, 4.0, {}}), 1.5);
  EXPECT_FALSE(intensity({6.0, 0.0, {}}));
  EXPECT_FALSE(intensity({std::nullopt, 4.0, {}}));
}

}  // namespace
}  // namespace takt
