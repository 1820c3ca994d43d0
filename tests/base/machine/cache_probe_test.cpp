// A walk goes over every line, in an order that is not that of memory, and takes time.
#include "base/machine/cache_probe.h"

#include <gtest/gtest.h>

namespace takt {
namespace {

TEST(CacheProbe, rounds_down_to_lines_that_one_walk_can_reach) {
  EXPECT_EQ(CacheProbe(0).lines(), 64u);
  EXPECT_EQ(CacheProbe(262'144).lines(), 4096u);
  EXPECT_EQ(CacheProbe(400'000).lines(), 4096u);
  EXPECT_GE(CacheProbe().lines(), 64u);
}

TEST(CacheProbe, reads_each_line_once_a_round) {
  for (const std::size_t bytes : {4096u, 65'536u, 1'048'576u})
    EXPECT_EQ(CacheProbe(bytes).round(), bytes / 64) << bytes;
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
