#include "plan/search/share_box.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace takt {
namespace {

/// All shares that are left when a box is halved until nothing can be.
void collect(ShareBox box, const ShareSteps& near, std::multiset<ShareSteps>& all) {
  if (!box.tighten()) return;
  if (box.is_single()) {
    all.insert(box.least());
    return;
  }
  const auto [first, second] = box.halves(near);
  collect(first, near, all);
  collect(second, near, all);
}

TEST(ShareBox, holds_every_division_once) {
  // 9 steps among three units: C(8, 2) = 28 ways; among two: 8; alone: 1.
  std::multiset<ShareSteps> all;
  collect(ShareBox({3, 1, 2}, 9), {{3, 3, 3}, {9}, {4, 5}}, all);
  EXPECT_EQ(all.size(), 28u * 8);
  EXPECT_EQ(std::set<ShareSteps>(all.begin(), all.end()).size(), all.size());
  for (const ShareSteps& shares : all)
    for (const auto& block : shares) {
      EXPECT_EQ(std::accumulate(block.begin(), block.end(), 0), 9);
      for (const int share : block) EXPECT_GE(share, 1);
    }
}

TEST(ShareBox, is_empty_where_there_are_more_units_than_steps) {
  EXPECT_FALSE(ShareBox({4}, 3).tighten());
  EXPECT_TRUE(ShareBox({3}, 3).tighten());
}

TEST(ShareBox, begins_with_the_half_that_is_near) {
  const auto [first, second] = ShareBox({2}, 100).halves({{80, 20}});
  EXPECT_GT(first.least()[0][0], 50);
  EXPECT_EQ(second.least()[0][0], 1);
}

}  // namespace
}  // namespace takt
