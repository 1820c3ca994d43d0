#include "base/memory/large_pages.h"

#include <gtest/gtest.h>

#include <numeric>

namespace takt {
namespace {

// A hint must not touch what lies there, and may be given for anything.
TEST(LargePages, leave_contents_and_neighbours_alone) {
  std::vector<std::uint64_t> list(3'000'000);
  std::iota(list.begin(), list.end(), 0u);
  prefer_large_pages(list.data() + 1, 8u * 2'999'998);
  for (std::size_t i = 0; i < list.size(); ++i) ASSERT_EQ(list[i], i);
  prefer_large_pages(nullptr, 0);
  prefer_large_pages(list.data(), 100);
}

TEST(LargePages, reserve_makes_room_for_a_list) {
  std::vector<int> list;
  reserve_large(list, 2'000'000);
  EXPECT_TRUE(list.empty());
  EXPECT_GE(list.capacity(), 2'000'000u);
}

}  // namespace
}  // namespace takt
