// How long queues are and how many executions run, from instant to instant, drawn by hand.
#include "pipeline/record/run_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "pipeline/record/run_words.h"

namespace takt {
namespace {

using testing::ElementsAre;
using Step = std::tuple<std::size_t, std::int64_t, std::int64_t>;  ///< counter, time, count

std::vector<Step> steps_of(const std::vector<RunCounter>& counters) {
  std::vector<Step> steps;
  each_step(counters, [&](std::size_t counter, std::int64_t time, std::int64_t count) {
    steps.emplace_back(counter, time, count);
  });
  return steps;
}

TEST(RunCounters, step_where_the_count_changes_and_at_the_beginning) {
  EXPECT_THAT(steps_of({{"a", {1, 3}, {2, 5}}}),
              ElementsAre(Step{0, 1, 1}, Step{0, 2, 0}, Step{0, 3, 1}, Step{0, 5, 0}));
  EXPECT_THAT(steps_of({{"up and down at once", {1, 3}, {3, 5}}}), ElementsAre(Step{0, 1, 1}, Step{0, 5, 0}));
  EXPECT_THAT(steps_of({{"several at once", {1, 1, 1}, {4, 4}}}), ElementsAre(Step{0, 1, 3}, Step{0, 4, 1}));
  EXPECT_THAT(steps_of({{"none at first", {2, 7}, {2, 9}}}), ElementsAre(Step{0, 2, 0}, Step{0, 7, 1}, Step{0, 9, 0}));
  EXPECT_THAT(steps_of({{"never", {}, {}}}), ElementsAre());
  EXPECT_THAT(steps_of({}), ElementsAre());
}

TEST(RunCounters, of_one_instant_are_in_the_order_of_the_list) {
  EXPECT_THAT(steps_of({{"a", {2}, {4}}, {"b", {1, 2}, {4, 4}}, {"c", {2}, {3}}}),
              ElementsAre(Step{1, 1, 1}, Step{0, 2, 1}, Step{1, 2, 2}, Step{2, 2, 1}, Step{2, 3, 0}, Step{0, 4, 0},
                          Step{1, 4, 0}));
}

// A on device 0 takes 2, B on device 1 takes 5, and has one place in its queue; three batches.
//   D0  AAAAAA.........    D1  ..BBBBBBBBBBBBBBB
TEST(RunCounters, of_a_run_are_a_queue_for_each_stage_and_executions_for_each_device) {
  const auto counters = counters_of(simulated_run(pipeline({stage_on(0), stage_on(1)}, 3), {takes(2), takes(5)}));
  ASSERT_EQ(counters.size(), 4u);
  EXPECT_EQ(counters[0].name, "queue s_0");
  EXPECT_EQ(counters[1].name, "queue s_1");
  EXPECT_EQ(counters[2].name, "in flight sim:D0");
  EXPECT_EQ(counters[3].name, "in flight sim:D1");
  EXPECT_THAT(counters[1].up, ElementsAre(2, 4, 7)) << "the third waits for the place";
  EXPECT_THAT(counters[1].down, ElementsAre(2, 7, 12));
  EXPECT_THAT(counters[2].up, ElementsAre(0, 2, 4));
  EXPECT_THAT(counters[2].down, ElementsAre(2, 4, 6));
  EXPECT_THAT(counters[3].up, ElementsAre(2, 7, 12));
  EXPECT_THAT(counters[3].down, ElementsAre(7, 12, 17));
}

// Partition, two parts and merge: the host is no device.
TEST(RunCounters, of_a_divided_stage_are_its_parts) {
  const auto counters = counters_of(simulated_run(pipeline({stage_over({0, 1})}, 2), {takes(1, {6, 4}, 1)}));
  ASSERT_EQ(counters.size(), 3u);
  EXPECT_THAT(counters[1].up, ElementsAre(1, 9));
  EXPECT_THAT(counters[1].down, ElementsAre(7, 15));
  EXPECT_THAT(counters[2].up, ElementsAre(1, 9));
  EXPECT_THAT(counters[2].down, ElementsAre(5, 13));
}

}  // namespace
}  // namespace takt
