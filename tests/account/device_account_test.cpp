// Every cause of idle time, on schedules small enough to draw.
#include "account/device_account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/run_words.h"

namespace takt {
namespace {

using testing::ElementsAre;

// A on device 0 takes 4, B on device 1 takes 2, three batches.
//   D0  AAAAAAAAAAAA..      D1  ....BB..BB..BB
TEST(DeviceAccount, a_fast_stage_behind_a_slow_one_is_starved_after_the_fill) {
  const auto run = simulated_run(pipeline({stage_on(0), stage_on(1)}, 3), {takes(4), takes(2)});
  const auto a = account(run);
  EXPECT_EQ(a.window.length().count(), 14);
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(12, 0, 0, 0, 0, 2));
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(6, 4, 0, 0, 4, 0));
}

// A takes 2, B takes 5, one place in the queue, four batches. A's batch 2 is done at 6 and leaves at 7, when B takes
// batch 1; its batch 3 is done at 9 and leaves at 12.
//   D0  AAAAAA-AA---..........      D1  ..BBBBBBBBBBBBBBBBBBBB
TEST(DeviceAccount, a_fast_stage_before_a_slow_one_is_blocked_and_then_drains) {
  const auto run = simulated_run(pipeline({stage_on(0), stage_on(1)}, 4), {takes(2), takes(5)});
  const auto a = account(run);
  EXPECT_EQ(a.window.length().count(), 22);
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(8, 0, 4, 0, 0, 10));
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(20, 0, 0, 0, 2, 0));
}

// Two batches of 4 in one stage; the second waits since 0 and could start at 4, but starts at 5.
TEST(DeviceAccount, a_batch_that_could_start_and_has_not_is_dispatch) {
  auto run = simulated_run(pipeline({stage_on(0)}, 2), {takes(4)});
  auto& late = run.schedule.executions[1];
  auto& visit = run.schedule.visits[1];
  late.start = visit.started = visit.dispatched = Nanoseconds(5);
  late.end = visit.joined = visit.done = visit.left = run.schedule.batches[1].delivered = Nanoseconds(9);
  EXPECT_THAT(causes(account(run).devices[0]), ElementsAre(8, 0, 0, 1, 0, 0));
}

// The same, but the queue behind is full until 5 (another batch waits there, of a stage that starts late).
TEST(DeviceAccount, a_waiting_batch_with_a_full_queue_behind_is_blocked_not_dispatch) {
  auto run = simulated_run(pipeline({stage_on(0), stage_on(1)}, 2), {takes(4), takes(1)});
  // A: [0,4] [5,9]; batch 0 waits in B's queue from 4 to 5, B runs [5,6] and [9,10].
  auto& executions = run.schedule.executions;
  auto& visits = run.schedule.visits;
  executions.clear();
  const auto put = [&](std::int64_t batch, int stage, std::int64_t entered, std::int64_t start, std::int64_t end) {
    Execution what;
    what.batch = batch, what.stage = stage, what.device = stage;
    executions.push_back({what, Nanoseconds(entered), Nanoseconds(start), Nanoseconds(end)});
    VisitRecord& v = visits[static_cast<std::size_t>(batch * 2 + stage)];
    v.entered = Nanoseconds(entered), v.started = v.dispatched = Nanoseconds(start);
    v.joined = v.done = v.left = Nanoseconds(end);
  };
  put(0, 0, 0, 0, 4);
  put(0, 1, 4, 5, 6);
  put(1, 0, 0, 5, 9);
  put(1, 1, 9, 9, 10);
  run.schedule.batches[0].delivered = Nanoseconds(6);
  run.schedule.batches[1].delivered = Nanoseconds(10);
  const auto a = account(run);
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(8, 0, 1, 0, 0, 1));
  // B's device: its batch was there at 4 and it ran at 5: dispatch; then it waited for the second one.
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(2, 3, 0, 1, 4, 0));
}

// Device 0 hosts A (1) and C (1), device 1 hosts B (10), one place in each queue, three batches. A's batch 2 is done at
// 3 and held until 11; C waits for input all the time: blocked comes before starved. Later only starved is left.
//   D0  AAA--------C.........C.........C      D1  .BBBBBBBBBBBBBBBBBBBBBBBBBBBBBB.
TEST(DeviceAccount, a_device_of_several_stages_takes_the_first_cause_that_any_of_them_gives) {
  const auto run = simulated_run(pipeline({stage_on(0), stage_on(1), stage_on(0)}, 3), {takes(1), takes(10), takes(1)});
  const auto a = account(run);
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(6, 18, 8, 0, 0, 0));
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(30, 0, 0, 0, 1, 1));
}

// One stage with a replica on each of two devices, in order. Batch 0 takes 10, batch 1 takes 2 and must wait for it.
TEST(DeviceAccount, a_batch_kept_in_order_blocks_its_device) {
  FlowStage stage;
  stage.replicas = {{0}, {1}};
  stage.queue = 2;
  const auto a = account(simulated_run(pipeline({stage}, 2), std::vector<std::vector<std::int64_t>>{{10}, {2}}));
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(10, 0, 0, 0, 0, 0));
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(2, 0, 8, 0, 0, 0));
}

// Partition 2, parts of 6 and 3 on two devices, merge 1, two batches, one replica.
//   host  PP......MPP......M     D0  ..AAAAAA...AAAAAA.     D1  ..BBB......BBB....
TEST(DeviceAccount, parts_reach_their_device_when_the_batch_is_divided_and_leave_when_they_are_done) {
  const auto run = simulated_run(pipeline({stage_over({0, 1})}, 2), {takes(2, {6, 3}, 1)});
  const auto a = account(run);
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(12, 3, 0, 0, 2, 1));
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(6, 6, 0, 0, 2, 4));
}

TEST(DeviceAccount, a_device_that_nothing_reached_fills_all_the_time) {
  auto shape = pipeline({stage_on(0)}, 2);
  shape.devices.emplace_back();
  const auto a = account(simulated_run(shape, {takes(5)}));
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(0, 0, 0, 0, 10, 0));
  EXPECT_EQ(a.devices[1].bubbles.count, 1);
}

TEST(DeviceAccount, nothing_happened_takes_no_time) {
  const auto a = account(simulated_run(pipeline({stage_on(0)}, 0), {takes(5)}));
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_FALSE(a.cycle);
  EXPECT_FALSE(a.bottleneck);
  EXPECT_FALSE(a.latency.mean);
  EXPECT_TRUE(a.path.shares.empty());
}

}  // namespace
}  // namespace takt
