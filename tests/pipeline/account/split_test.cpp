#include <gtest/gtest.h>

#include "pipeline/account/account.h"
#include "pipeline/record/run_words.h"

namespace takt {
namespace {

// Partition 2, parts of 6 and 3, merge 1. Both parts run on device 0, which takes one at a time: part 0 [2,8],
// part 1 waits from 2 to 8 and runs [8,11], merge [11,12].
TEST(Split, a_part_that_waits_for_its_device_has_the_wait_in_its_device_time) {
  auto shape = pipeline({stage_over({0, 0})}, 1);
  shape.devices[0].requests = 1;
  const auto a = account(simulated_run(shape, {takes(2, {6, 3}, 1)}));
  ASSERT_EQ(a.parts.size(), 2U);
  EXPECT_EQ(a.parts[0].device_time.count(), 6);
  EXPECT_EQ(a.parts[1].queue_wait.count(), 6);
  EXPECT_EQ(a.parts[1].device_time.count(), 9);
  EXPECT_EQ(a.parts[1].skew.count(), 3);
  EXPECT_EQ(a.parts[1].partition.count(), 2);
  EXPECT_EQ(a.parts[1].sync_merge.count(), 1);
  EXPECT_EQ(a.parts[1].stage_total.count(), 12);
  EXPECT_EQ(a.devices[0].busy.count(), 9);
}

// The merge of a measured run starts 3 after the last part: the wake-up is shown and is part of sync-merge.
TEST(Split, wake_up_is_the_time_before_the_merge) {
  auto run = simulated_run(pipeline({stage_over({0, 1})}, 1), {takes(2, {6, 3}, 1)});
  auto& merge = run.schedule.executions.back();
  auto& visit = run.schedule.visits[0];
  merge.start += Nanoseconds(3), merge.end += Nanoseconds(3);
  visit.done = visit.left = run.schedule.batches[0].delivered = merge.end;
  const auto a = account(run);
  EXPECT_EQ(a.parts[0].wake_up.count(), 3);
  EXPECT_EQ(a.parts[0].sync_merge.count(), 4);
  EXPECT_EQ(a.parts[0].stage_total.count(), 2 + 6 + 4);
}

TEST(Split, means_of_the_parts_add_up_to_the_mean_stage_time) {
  const auto a = account(simulated_run(pipeline({stage_over({0, 1}, 2)}, 20), {takes(2, {6, 3}, 1)}));
  const auto list = tables(a);
  const Table& splits = list[5];
  ASSERT_EQ(splits.name, "splits");
  ASSERT_EQ(splits.rows.size(), 2U);
  const auto value = [&](std::size_t row, std::string_view name) {
    for (std::size_t c = 0; c < splits.columns.size(); ++c)
      if (splits.columns[c].name == name) return std::get<Duration>(splits.rows[row][c]).count();
    throw std::runtime_error("no such column");
  };
  for (std::size_t row = 0; row < 2; ++row)
    EXPECT_DOUBLE_EQ(value(row, "partition_mean_us") + value(row, "longest_mean_us") + value(row, "sync_merge_mean_us"),
                     value(row, "stage_mean_us"));
}

TEST(Split, a_pipeline_without_such_a_stage_has_no_parts) {
  EXPECT_TRUE(account(simulated_run(pipeline({stage_on(0)}, 3), {takes(2)})).parts.empty());
}

TEST(Split, a_batch_without_its_merge_is_refused) {
  auto run = simulated_run(pipeline({stage_over({0, 1})}, 1), {takes(2, {6, 3}, 1)});
  run.schedule.executions.pop_back();
  EXPECT_THROW(account(run), Error);
}

}  // namespace
}  // namespace takt
