#include "trace/events/intervals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <random>

namespace takt {
namespace {

constexpr std::int64_t size = 64;
using Line = std::bitset<size>;  // one bit per nanosecond: the oracle

Line line_of(const std::vector<TimeInterval>& list) {
  Line line;
  for (const TimeInterval& i : list) {
    for (std::int64_t t = i.start; t < i.end; ++t) line.set(static_cast<std::size_t>(t));
  }
  return line;
}

bool is_set(const Intervals& set) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i].end <= set[i].start || (i > 0 && set[i].start <= set[i - 1].end)) return false;
  }
  return true;
}

std::vector<TimeInterval> random_list(std::mt19937& random) {
  std::vector<TimeInterval> list(random() % 12);
  for (TimeInterval& i : list) {
    i.start = static_cast<std::int64_t>(random() % size);
    i.end = std::min<std::int64_t>(size, i.start + static_cast<std::int64_t>(random() % 16));
  }
  return list;
}

TEST(Intervals, touching_ones_become_one_and_empty_ones_vanish) {
  EXPECT_EQ(unite({{5, 7}, {0, 5}, {9, 9}, {12, 11}}), (Intervals{{0, 7}}));
}

TEST(Intervals, a_nested_interval_does_not_end_the_outer_one) {
  EXPECT_EQ(unite({{0, 100}, {10, 20}, {50, 120}}), (Intervals{{0, 120}}));
  EXPECT_EQ(covered({{0, 100}, {10, 20}, {50, 120}}), Nanoseconds(120));
}

TEST(Intervals, of_nothing_are_nothing) {
  EXPECT_TRUE(unite(std::vector<TimeInterval>{}).empty());
  EXPECT_EQ(total({}), Nanoseconds(0));
  EXPECT_EQ(hull({}), (TimeInterval{0, 0}));
  EXPECT_EQ(covered({}), Nanoseconds(0));
  EXPECT_EQ(gaps({}, {3, 9}), (Intervals{{3, 9}}));
  EXPECT_TRUE(gaps({}, {9, 3}).empty());
}

TEST(Intervals, contain_their_beginning_and_not_their_end) {
  const Intervals set{{2, 5}, {7, 8}};
  for (const auto& [time, is_inside] :
       {std::pair(1, false), {2, true}, {4, true}, {5, false}, {6, false}, {7, true}, {8, false}})
    EXPECT_EQ(contains(set, time), is_inside) << time;
  EXPECT_FALSE(contains({}, 0));
  EXPECT_EQ(hull(set), (TimeInterval{2, 8}));
}

TEST(Intervals, agree_with_a_line_of_bits) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const auto list_a = random_list(random), list_b = random_list(random);
    const Line a = line_of(list_a), b = line_of(list_b);
    const Intervals set_a = unite(list_a), set_b = unite(list_b);
    const std::int64_t from = static_cast<std::int64_t>(random() % size);
    const TimeInterval window{from, std::min(size, from + 20)};
    const Line inside = line_of({window});
    for (const auto& [set, line] : {std::pair{set_a, a},
                                    {unite(set_a, set_b), a | b},
                                    {intersect(set_a, set_b), a & b},
                                    {subtract(set_a, set_b), a & ~b},
                                    {gaps(set_a, window), ~a & inside},
                                    {clip(set_a, window), a & inside}}) {
      ASSERT_TRUE(is_set(set));
      ASSERT_EQ(line_of(set), line);
      ASSERT_EQ(total(set), Nanoseconds(line.count()));
    }
    ASSERT_EQ(covered(list_a), total(set_a));
  }
}

TEST(Intervals, sorting_nearly_sorted_reversed_and_shuffled_lists) {
  std::mt19937 random(3);
  std::vector<TimeInterval> sorted;
  for (int i = 0; i < 50000; ++i) sorted.push_back({i, i + static_cast<int>(random() % 9)});
  std::vector<TimeInterval> nearly = sorted, reversed = sorted, shuffled = sorted;
  for (std::size_t i = 0; i + 3 < nearly.size(); i += 7) std::swap(nearly[i], nearly[i + 3]);
  std::reverse(reversed.begin(), reversed.end());
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  for (auto* list : {&nearly, &reversed, &shuffled}) {
    sort_intervals(*list);
    EXPECT_EQ(*list, sorted);
  }
}

TEST(Intervals, of_a_day_in_nanoseconds_add_up_exactly) {
  std::vector<TimeInterval> list;
  constexpr std::int64_t day = 86'400'000'000'000;
  for (std::int64_t t = 0; t < 1000; ++t) list.push_back({t * (day / 1000), t * (day / 1000) + day / 1000 - 1});
  const Intervals set = unite(list);
  EXPECT_EQ(total(set) + total(gaps(set, {0, day})), Nanoseconds(day));
  EXPECT_EQ(total(gaps(set, {0, day})), Nanoseconds(1000));
}

}  // namespace
}  // namespace takt
