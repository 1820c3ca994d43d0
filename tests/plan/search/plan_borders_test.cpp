// Sizes on the corners of a line, and switches that are just worth what they cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "plan/estimate/size_line.h"
#include "plan/sets/set.h"
#include "refused.h"

namespace takt {
namespace {

using testing::ElementsAre;

std::string text_of(const GraphSize& size) { return std::to_string(size.nodes) + "," + std::to_string(size.edges); }

std::vector<std::string> texts_of(const std::vector<GraphSize>& sizes) {
  std::vector<std::string> texts;
  for (const GraphSize& size : sizes) texts.push_back(text_of(size));
  return texts;
}

// Eight steps from the first corner to the second, since edges grow by as many; twenty to the third.
TEST(SizeLine, has_its_corners) {
  const SizeLine line({{10, 20}, {14, 28}, {34, 28}});
  EXPECT_EQ(line.steps(), 28);
  for (const auto& [step, size] : {std::pair(0, "10,20"), {4, "12,24"}, {8, "14,28"}, {9, "15,28"}, {28, "34,28"}})
    EXPECT_EQ(text_of(line.at(step)), size) << step;
  for (const auto& [rows, size] : {std::pair(5.0, "10,20"),
                                   {30.0, "10,20"},
                                   {36.0, "12,24"},
                                   {42.0, "14,28"},
                                   {43.0, "15,28"},
                                   {62.0, "34,28"},
                                   {99.0, "34,28"}})
    EXPECT_EQ(text_of(line.with_rows(rows)), size) << rows;
}

TEST(SizeLine, sizes_between_have_both_ends_and_grow) {
  EXPECT_THAT(texts_of(sizes_between({10, 10}, {40, 40}, 2)), ElementsAre("10,10", "40,40"));
  EXPECT_THAT(texts_of(sizes_between({10, 10}, {40, 40}, 3)), ElementsAre("10,10", "20,20", "40,40"));
  EXPECT_THAT(texts_of(sizes_between({1, 1}, {2, 1}, 9)), ElementsAre("1,1", "2,1")) << "none twice";
  EXPECT_THAT(texts_of(in_order_of_rows({{9, 1}, {1, 2}, {2, 4}})), ElementsAre("1,2", "2,4", "9,1"));
  EXPECT_EQ(
      refused_with([&] {
        in_order_of_rows({{9, 1}, {1, 9}});
      }),
      "plan set: 1 nodes and 9 edges do not have more rows (nodes + edges) than 9 nodes and 1 edges; leave one out")
      << "as many rows";
  EXPECT_EQ(
      refused_with([&] {
        check_rows_grow({{9, 1}, {1, 9}});
      }),
      "plan set: 1 nodes and 9 edges do not have more rows (nodes + edges) than 9 nodes and 1 edges; leave one out");
  EXPECT_NO_THROW(check_rows_grow({{9, 1}, {1, 10}}));
}

std::vector<PlanSet::Cost> batch(std::initializer_list<std::int64_t> costs) {
  std::vector<PlanSet::Cost> list;
  for (const std::int64_t ns : costs) list.emplace_back(Nanoseconds(ns));
  return list;
}

TEST(Switching, that_only_pays_for_itself_is_left_out) {
  const std::vector<std::vector<PlanSet::Cost>> crossing{batch({0, 10}), batch({10, 0})};
  const SwitchedStream stays = best_switching(crossing, Nanoseconds(10));
  EXPECT_THAT(stays.plans, ElementsAre(0, 0));
  EXPECT_EQ(stays.total.count(), 10);
  EXPECT_EQ(stays.switches, 0);
  const SwitchedStream changes = best_switching(crossing, Nanoseconds(9));
  EXPECT_THAT(changes.plans, ElementsAre(0, 1));
  EXPECT_EQ(changes.total.count(), 9);
  EXPECT_EQ(changes.switches, 1);
  EXPECT_THAT(best_switching({batch({1, 1, 1}), batch({1, 1, 1})}, Nanoseconds(0)).plans, ElementsAre(0, 0))
      << "of equals the first";
  EXPECT_TRUE(best_switching({}, Nanoseconds(1)).plans.empty());
}

TEST(Switching, waits_until_as_much_was_missed_as_it_costs) {
  const auto plans = [](std::int64_t switch_cost) {
    PlanChooser chooser(2, Nanoseconds(switch_cost));
    std::vector<int> chosen;
    for (const auto& costs : {batch({5, 10}), batch({15, 10}), batch({15, 10}), batch({15, 10})})
      chosen.push_back(chooser.choose(costs));
    return chosen;
  };
  EXPECT_THAT(plans(10), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(plans(11), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(plans(6), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(plans(5), ElementsAre(0, 1, 1, 1)) << "with the change as cheap as the best plan so far";
}

// 12 ns were missed under the second plan, more than a change costs; but the first one is the best for all batches so
// far, so the change has to be paid for by this batch alone.
TEST(Switching, away_from_the_best_plan_so_far_is_paid_for_by_one_batch) {
  const auto plans = [](std::int64_t last) {
    PlanChooser chooser(2, Nanoseconds(10));
    std::vector<int> chosen;
    for (const auto& costs : {batch({0, 100}), batch({3, 0}), batch({last, 0})})
      chosen.push_back(chooser.choose(costs));
    return chosen;
  };
  EXPECT_THAT(plans(9), ElementsAre(0, 0, 0));
  EXPECT_THAT(plans(10), ElementsAre(0, 0, 1));
}

}  // namespace
}  // namespace takt
