#include "trace/events/lanes.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

namespace takt {
namespace {

using std::chrono::nanoseconds;

/// One row with spans [start, end).
Trace row_of(const std::vector<std::pair<int, int>>& spans) {
  Trace trace;
  const RowId row = trace.add_row(trace.add_process("p"), "r");
  for (auto [start, end] : spans) trace.add_event(row, "e", "", nanoseconds(start), nanoseconds(end - start));
  return trace;
}

using LaneList = std::vector<std::uint32_t>;

TEST(Lanes, spans_that_nest_or_touch_share_a_lane) {
  EXPECT_EQ(assign_lanes(row_of({{0, 10}, {2, 5}, {5, 10}, {10, 12}})).lane, (LaneList{0, 0, 0, 0}));
}

TEST(Lanes, a_partial_overlap_goes_on_the_next_lane) {
  const Lanes lanes = assign_lanes(row_of({{0, 10}, {5, 15}, {12, 20}}));
  EXPECT_EQ(lanes.lane, (LaneList{0, 1, 0}));
  EXPECT_EQ(lanes.count, (LaneList{2}));
}

TEST(Lanes, of_equal_starts_the_longest_comes_first) {
  EXPECT_EQ(assign_lanes(row_of({{0, 3}, {0, 10}, {0, 3}})).order, (LaneList{1, 0, 2}));
}

TEST(Lanes, the_lane_that_ends_soonest_around_a_span_or_the_lowest_free_one_has_it) {
  // On lanes 0, 1 and 2 until 30, 35 and 40; then what nests in the tightest of them, and what finds one free.
  EXPECT_EQ(assign_lanes(row_of({{0, 30}, {10, 35}, {12, 40}, {15, 20}, {15, 33}, {15, 37}})).lane,
            (LaneList{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(assign_lanes(row_of({{0, 10}, {5, 15}, {15, 20}, {16, 25}, {17, 19}, {20, 22}})).lane,
            (LaneList{0, 1, 0, 1, 0, 1}));
}

TEST(Lanes, a_negative_duration_takes_no_room) {
  EXPECT_EQ(assign_lanes(row_of({{0, 10}, {5, 1}, {5, 10}})).lane, (LaneList{0, 0, 0}));
}

TEST(Lanes, rows_do_not_share_lanes) {
  Trace trace = row_of({{0, 10}});
  const RowId other = trace.add_row(ProcessId{}, "other");
  trace.add_event(other, "e", "", nanoseconds(5), nanoseconds(10));
  EXPECT_EQ(assign_lanes(trace).count, (LaneList{1, 1}));
}

TEST(Lanes, every_lane_of_random_spans_nests) {
  std::mt19937 random(1);
  std::vector<std::pair<int, int>> spans;
  for (int i = 0; i < 2000; ++i) {
    const int start = static_cast<int>(random() % 500);
    spans.emplace_back(start, start + static_cast<int>(random() % 40));
  }
  const Lanes lanes = assign_lanes(row_of(spans));
  std::vector<std::vector<int>> open(lanes.count[0]);
  for (std::uint32_t i : lanes.order) {
    auto& ends = open[lanes.lane[i]];
    while (!ends.empty() && ends.back() <= spans[i].first) ends.pop_back();
    ASSERT_TRUE(ends.empty() || spans[i].second <= ends.back()) << "span " << i << " leaves its parent";
    ends.push_back(spans[i].second);
  }
}

TEST(Lanes, a_staircase_where_all_overlap_is_handled_in_reasonable_time) {
  // 50,000 spans, each on its own lane: a search through the lanes would take 10^9 steps.
  std::vector<std::pair<int, int>> spans;
  for (int i = 0; i < 50000; ++i) spans.emplace_back(i, i + 100000);
  EXPECT_EQ(assign_lanes(row_of(spans)).count, (LaneList{50000}));
}

}  // namespace
}  // namespace takt
