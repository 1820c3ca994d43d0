// A walk goes over every line, in an order that is not that of memory, and takes time.
#include "base/machine/cache_probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "base/machine/caches.h"

namespace takt {
namespace {

TEST(CacheProbe, rounds_down_to_lines_that_one_walk_can_reach) {
  EXPECT_EQ(CacheProbe(0).lines(), 64u);
  EXPECT_EQ(CacheProbe(8191).lines(), 64u);
  EXPECT_EQ(CacheProbe(8192).lines(), 128u);
  EXPECT_EQ(CacheProbe(262'144).lines(), 4096u);
  EXPECT_EQ(CacheProbe(400'000).lines(), 4096u);
  EXPECT_GE(CacheProbe().lines(), 64u);
}

TEST(CacheProbe, reads_each_line_once_a_round) {
  for (const std::size_t bytes : {4096u, 65'536u, 1'048'576u})
    EXPECT_EQ(CacheProbe(bytes).round(), bytes / 64) << bytes;
}

TEST(CacheProbe, of_no_size_is_half_of_the_second_level_and_at_most_a_mebibyte) {
  std::int64_t second = 512 << 10;  // where the system does not tell
  for (const CacheLevel& cache : detect_caches())
    if (cache.level == 2) second = cache.bytes;
  const auto half = static_cast<std::uint64_t>(std::clamp<std::int64_t>(second / 2, 4096, 1 << 20));
  EXPECT_EQ(CacheProbe().lines(), std::bit_floor(half) / 64);
}

// Reads that depend on each other cannot overlap: 64 times as many take longer, however noisy the machine.
TEST(CacheProbe, more_lines_take_longer) {
  CacheProbe small(16'384), large(1'048'576);
  Nanoseconds least_of_small = small.walk(), least_of_large = large.walk();
  for (int i = 0; i < 20; ++i)
    least_of_small = std::min(least_of_small, small.walk()), least_of_large = std::min(least_of_large, large.walk());
  EXPECT_GT(least_of_small.count(), 0);
  EXPECT_GT(least_of_large, 8 * least_of_small);
}

}  // namespace
}  // namespace takt
