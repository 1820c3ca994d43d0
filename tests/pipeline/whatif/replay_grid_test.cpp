#include "pipeline/whatif/replay_grid.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "pipeline/whatif/what_if_cases.h"

namespace takt {
namespace {

PipelineRun recorded(std::int64_t batches) { return run_truth(chain({1000, 3000, 500}, 2, batches)); }

const KnobGroup& group_of(const std::vector<KnobGroup>& groups, const std::string& target) {
  for (const KnobGroup& group : groups)
    if (group.target == target) return group;
  throw std::out_of_range(target);
}

TEST(ReplayGrid, settings_and_answers_are_each_others_way_back) {
  KnobGroup group{"a", {{"k", {"1", "2", "3"}, 1}, {"l", {"1", "2"}, 0}}, {}};
  EXPECT_EQ(answer_of(group, {0, 0}), 0u);
  EXPECT_EQ(answer_of(group, {0, 1}), 1u);
  EXPECT_EQ(answer_of(group, {2, 1}), 5u);
  for (std::size_t place = 0; place < 6; ++place) EXPECT_EQ(answer_of(group, setting_of(group, place)), place);
}

TEST(ReplayGrid, what_is_as_recorded_is_no_change) {
  const KnobGroup group{"a", {{"stage.a.time", {"x0.5", "x1"}, 1}, {"stage.a.queue", {"1", "2"}, 0}}, {}};
  EXPECT_TRUE(changes_of(group, {1, 0}).empty());
  const auto changes = changes_of(group, {0, 1});
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].text, "stage.a.time=x0.5");
  EXPECT_EQ(changes[1].text, "stage.a.queue=2");
}

TEST(ReplayGrid, answers_are_those_of_what_if) {
  const PipelineRun run = recorded(20);
  const auto groups = replay_grid(run);
  ASSERT_EQ(groups.size(), 4u);  // the stages and the source
  for (const KnobGroup& group : groups)
    for (const std::size_t place : {std::size_t{0}, group.answers.size() / 2, group.answers.size() - 1}) {
      const WhatIfRow wanted = what_if(run, changes_of(group, setting_of(group, place))).summary[2];
      const WhatIfRow& row = group.answers[place];
      EXPECT_EQ(row.makespan, wanted.makespan);
      EXPECT_EQ(row.cycle, wanted.cycle);
      EXPECT_EQ(row.latency, wanted.latency);
      EXPECT_EQ(row.bottleneck, wanted.bottleneck);
      EXPECT_EQ(row.ranges->cycle->low, wanted.ranges->cycle->low);
      EXPECT_EQ(row.ranges->makespan.high, wanted.ranges->makespan.high);
    }
}

TEST(ReplayGrid, a_faster_bottleneck_hands_the_beat_on) {
  const auto groups = replay_grid(recorded(40));
  const KnobGroup& middle = group_of(groups, "infer");
  ASSERT_EQ(middle.knobs[0].values.front(), "x0.25");
  const WhatIfRow& fast = middle.answers[answer_of(middle, {0, middle.knobs[1].recorded, middle.knobs[2].recorded})];
  EXPECT_EQ(fast.bottleneck, "gather");
  EXPECT_NEAR(fast.cycle->count(), 1000, 1);
}

TEST(ReplayGrid, longer_runs_have_fewer_values_and_the_longest_none) {
  const auto short_run = replay_grid(recorded(20)), long_run = replay_grid(recorded(2000));
  EXPECT_GT(group_of(short_run, "infer").answers.size(), group_of(long_run, "infer").answers.size());
  EXPECT_LT(long_run.size(), short_run.size());
  EXPECT_EQ(group_of(long_run, "infer").knobs[1].values, (std::vector<std::string>{"1", "2"}));
  EXPECT_TRUE(replay_grid(recorded(4000)).empty());
  EXPECT_TRUE(replay_grid(PipelineRun{}).empty());
}

}  // namespace
}  // namespace takt
