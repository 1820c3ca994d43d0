#include "base/statistics/sorting.h"

#include <gtest/gtest.h>

#include "base/statistics/random.h"

namespace takt {
namespace {

TEST(RepairOrder, moves_what_is_out_of_place_within_its_budget) {
  std::vector<int> list{1, 2, 5, 3, 4, 6};  // 3 and 4 go over 5: two moves
  EXPECT_TRUE(repair_order(list, 3));
  EXPECT_EQ(list, (std::vector<int>{1, 2, 3, 4, 5, 6}));
}

TEST(RepairOrder, gives_up_and_keeps_every_element) {
  std::vector<int> list{4, 3, 2, 1};  // six moves
  EXPECT_FALSE(repair_order(list, 4));
  std::sort(list.begin(), list.end());
  EXPECT_EQ(list, (std::vector<int>{1, 2, 3, 4}));
}

TEST(RepairOrder, has_given_up_when_nothing_of_its_budget_is_left) {
  std::vector<int> list{1, 2, 5, 3, 4, 6};
  EXPECT_FALSE(repair_order(list, 2));
  EXPECT_EQ(list, (std::vector<int>{1, 2, 3, 4, 5, 6}));
}

TEST(SortNearlySorted, sorts_whatever_the_order_was) {
  Random random(1);
  for (const std::size_t size : {0u, 1u, 2u, 1'000u}) {
    std::vector<std::uint64_t> list(size);
    for (auto& value : list) value = random() % 100;
    auto expected = list;
    std::sort(expected.begin(), expected.end(), std::greater<>());
    sort_nearly_sorted(list, std::greater<>());
    EXPECT_EQ(list, expected);
  }
}

}  // namespace
}  // namespace takt
