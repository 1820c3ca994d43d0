#include "pipeline/account/open_spans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "pipeline/account/stage_columns.h"

namespace takt {
namespace {

using Values = std::vector<std::int64_t>;

// [0,10) [2,4) [4,8) [12,12): two are open from 2 to 8, and what has no length never is.
TEST(OpenSpans, counts_what_is_open_and_says_when_that_changes) {
  const Values starts = {0, 2, 4, 12}, ends = {4, 8, 10, 12};
  OpenSpans open(starts, ends);
  EXPECT_EQ(open.next(), 0);
  EXPECT_EQ(open.count(-1), 0);
  EXPECT_EQ(open.count(0), 1);
  EXPECT_EQ(open.next(), 2);
  EXPECT_EQ(open.count(3), 2);
  EXPECT_EQ(open.count(4), 2);
  EXPECT_EQ(open.next(), 8);
  EXPECT_EQ(open.count(9), 1);
  EXPECT_EQ(open.count(12), 0);
  EXPECT_EQ(open.next(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(OpenSpans().count(5), 0);
}

TEST(SortTimes, nearly_sorted_and_reversed_lists) {
  Values near, reversed;
  for (std::int64_t i = 0; i < 5'000; ++i) near.push_back(i % 2 == 0 ? i + 3 : i), reversed.push_back(-i);
  for (Values values : {near, reversed, Values{}}) {
    Values expected = values;
    std::sort(expected.begin(), expected.end());
    sort_times(values);
    EXPECT_EQ(values, expected);
  }
}

}  // namespace
}  // namespace takt
