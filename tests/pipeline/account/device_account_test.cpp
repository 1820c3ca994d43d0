// Every cause of idle time, on schedules small enough to draw.
#include "pipeline/account/device_account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/record/run_words.h"

namespace takt {
namespace {

using testing::ElementsAre;

// A on device 0 takes 4, B on device 1 takes 2, three batches.
//   D0  AAAAAAAAAAAA..      D1  ....BB..BB..BB
TEST(DeviceAccount, a_fast_stage_behind_a_slow_one_is_starved_after_the_fill) {
  const auto run = simulated_run(pipeline({stage_on(0), stage_on(1)}, 3), {takes(4), takes(2)});
  const auto a = account(run);
  EXPECT_EQ(a.window.length().count(), 14);
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(12, 0, 0, 0, 0, 0, 0, 2));
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(6, 0, 0, 4, 0, 0, 4, 0));
}

// A takes 2, B takes 5, one place in the queue, four batches. A's batch 2 is done at 6 and leaves at 7, when B takes
// batch 1; its batch 3 is done at 9 and leaves at 12.
//   D0  AAAAAA-AA---..........      D1  ..BBBBBBBBBBBBBBBBBBBB
TEST(DeviceAccount, a_fast_stage_before_a_slow_one_is_blocked_and_then_drains) {
  const auto run = simulated_run(pipeline({stage_on(0), stage_on(1)}, 4), {takes(2), takes(5)});
  const auto a = account(run);
  EXPECT_EQ(a.window.length().count(), 22);
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(8, 0, 0, 0, 4, 0, 0, 10));
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(20, 0, 0, 0, 0, 0, 2, 0));
}

// Two batches of 4 in one stage; the second waits since 0 and could start at 4, but starts at 5.
TEST(DeviceAccount, a_batch_that_could_start_and_has_not_is_dispatch) {
  auto run = simulated_run(pipeline({stage_on(0)}, 2), {takes(4)});
  auto& late = run.schedule.executions[1];
  auto& visit = run.schedule.visits[1];
  late.start = visit.started = visit.dispatched = Nanoseconds(5);
  late.end = visit.joined = visit.done = visit.left = run.schedule.batches[1].delivered = Nanoseconds(9);
  EXPECT_THAT(causes(account(run).devices[0]), ElementsAre(8, 0, 0, 0, 0, 1, 0, 0));
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
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(8, 0, 0, 0, 1, 0, 0, 1));
  // B's device: its batch was there at 4 and it ran at 5: dispatch; then it waited for the second one.
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(2, 0, 0, 3, 0, 1, 4, 0));
}

// Device 0 hosts A (1) and C (1), device 1 hosts B (10), one place in each queue, three batches. A's batch 2 is done at
// 3 and held until 11; C waits for input all the time: blocked comes before starved. Later only starved is left.
//   D0  AAA--------C.........C.........C      D1  .BBBBBBBBBBBBBBBBBBBBBBBBBBBBBB.
TEST(DeviceAccount, a_device_of_several_stages_takes_the_first_cause_that_any_of_them_gives) {
  const auto run = simulated_run(pipeline({stage_on(0), stage_on(1), stage_on(0)}, 3), {takes(1), takes(10), takes(1)});
  const auto a = account(run);
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(6, 0, 0, 18, 8, 0, 0, 0));
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(30, 0, 0, 0, 0, 0, 1, 1));
}

// One stage with a replica on each of two devices, in order. Batch 0 takes 10, batch 1 takes 2 and must wait for it.
TEST(DeviceAccount, a_batch_kept_in_order_blocks_its_device) {
  FlowStage stage;
  stage.replicas = {{0}, {1}};
  stage.queue = 2;
  const auto a = account(simulated_run(pipeline({stage}, 2), std::vector<std::vector<std::int64_t>>{{10}, {2}}));
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(10, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(2, 0, 0, 0, 8, 0, 0, 0));
}

// Partition 2, parts of 6 and 3 on two devices, merge 1, two batches, one replica.
//   host  PP......MPP......M     D0  ..AAAAAA...AAAAAA.     D1  ..BBB......BBB....
// Neither device ever lacks a batch: D0 waits for partition and merge, D1 for those and for D0.
TEST(DeviceAccount, a_device_that_waits_for_partition_merge_or_another_part_is_in_sync) {
  const auto run = simulated_run(pipeline({stage_over({0, 1})}, 2), {takes(2, {6, 3}, 1)});
  const auto a = account(run);
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(12, 0, 6, 0, 0, 0, 0, 0));
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(6, 0, 12, 0, 0, 0, 0, 0));
}

// The same stage between A (20) on device 2 and C (40) on device 3, three batches, one place in each queue. B has them
// from 20 to 29, 40 to 49 and 60 to 69 and gives each on at once; between them it waits for A.
TEST(DeviceAccount, a_divided_stage_is_starved_only_while_it_works_on_nothing) {
  auto shape = pipeline({stage_on(2), stage_over({0, 1}), stage_on(3)}, 3);
  const auto run = simulated_run(shape, {takes(20), takes(2, {6, 3}, 1), takes(40)});
  const auto a = account(run);
  EXPECT_EQ(a.window.length().count(), 149);
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(18, 0, 9, 22, 0, 0, 20, 80));
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(9, 0, 18, 22, 0, 0, 20, 80));
}

// One rule for the drain of ordinary and divided stages: it begins when the last batch has left. B (divided, done at 9
// after each entry) before C (100): its second batch is held until C takes it.
TEST(DeviceAccount, a_divided_stage_that_holds_its_last_batch_is_blocked_and_does_not_drain) {
  auto shape = pipeline({stage_over({0, 1}), stage_on(2)}, 3);
  const auto a = account(simulated_run(shape, {takes(2, {6, 3}, 1), takes(100)}));
  // Done at 9, 18, 27; C takes them at 9, 109, 209, and one waits in its queue: the third leaves at 109.
  EXPECT_EQ(a.window.length().count(), 309);
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(18, 0, 9, 0, 82, 0, 0, 200));
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(9, 0, 18, 0, 82, 0, 0, 200));
}

CopySpan copy_of(std::int64_t batch, int stage, bool of_outputs, std::int64_t start, std::int64_t end) {
  CopySpan copy;
  copy.batch = batch, copy.stage = stage, copy.device = stage, copy.of_outputs = of_outputs;
  copy.start = Nanoseconds(start), copy.end = Nanoseconds(end);
  return copy;
}

/// A (4) on device 0, B (2) on device 1, one batch inside at a time. A batch's output is copied for 5 after A and its
/// input for 1 before B; both waits are longer than that by 1.
//   D0  AAAA......  .AAAA......      D1  .......... ...
PipelineRun copying_run() {
  auto shape = pipeline({stage_on(0), stage_on(1)}, 2);
  shape.source.in_flight = 1;
  PipelineRun run = simulated_run(shape, {takes(4), takes(2)});
  for (std::int64_t b = 0; b < 2; ++b) {
    const std::int64_t t = 14 * b;
    const auto at = [&](std::int64_t offset) { return Nanoseconds(t + offset); };
    auto& first = run.schedule.visits[static_cast<std::size_t>(2 * b)];
    auto& second = run.schedule.visits[static_cast<std::size_t>(2 * b + 1)];
    first.entered = first.started = first.dispatched = at(0), first.joined = first.done = at(4), first.left = at(10);
    second.entered = at(10), second.started = second.dispatched = at(12);
    second.joined = second.done = second.left = at(14);
    auto& a = run.schedule.executions[static_cast<std::size_t>(2 * b)];
    auto& c = run.schedule.executions[static_cast<std::size_t>(2 * b + 1)];
    a.ready = a.start = at(0), a.end = at(4), c.ready = at(10), c.start = at(12), c.end = at(14);
    run.schedule.batches[static_cast<std::size_t>(b)] = {at(0), at(0), at(14)};
    run.copies.push_back(copy_of(b, 0, true, t + 4, t + 9));
    run.copies.push_back(copy_of(b, 1, false, t + 10, t + 11));
  }
  return run;
}

TEST(DeviceAccount, a_device_idle_beside_a_copy_of_its_tensors_is_copying_not_blocked_and_not_late) {
  const auto a = account(copying_run());
  EXPECT_EQ(a.window.length().count(), 28);
  // Device 0: held for 1 after each copy (9 to 10); from 10 to 14 nothing is there for A.
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(8, 10, 0, 4, 2, 0, 0, 4));
  // Device 1: the batch is there at 10, copied until 11, and starts at 12: that is dispatch.
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(4, 2, 0, 10, 0, 2, 10, 0));
}

TEST(DeviceAccount, a_copy_beside_an_execution_is_busy_time) {
  auto run = copying_run();
  run.copies = {copy_of(0, 0, true, 15, 17)};  // while A works on the next batch
  const auto a = account(run);
  EXPECT_EQ(a.devices[0].copy.count(), 0);
  EXPECT_EQ(a.devices[0].busy.count(), 8);
}

// A tensor on its way to B says nothing about another batch that waits for A.
TEST(DeviceAccount, a_batch_that_could_start_beside_another_ones_copy_is_dispatch) {
  auto run = copying_run();
  run.schedule.visits[2].entered = run.schedule.batches[1].admitted = run.schedule.batches[1].arrived = Nanoseconds(11);
  run.schedule.executions[2].ready = Nanoseconds(11);
  run.copies = {copy_of(0, 0, true, 4, 13)};
  const auto a = account(run);
  EXPECT_EQ(a.devices[0].dispatch.count(), 2);  // 12 to 14: before, the queue behind is full
  EXPECT_EQ(a.devices[0].copy.count(), 8);
}

TEST(DeviceAccount, copies_are_a_part_of_their_own_of_waits_and_of_marshalling) {
  const auto run = copying_run();
  const auto a = account(run);
  for (const BatchAccount& batch : a.batches) {
    EXPECT_EQ(batch.copy.count(), 6);
    EXPECT_EQ(batch.blocked.count(), 1);
    EXPECT_EQ(batch.queue_wait.count(), 1);
  }
  EXPECT_EQ(a.stages[0].copy.total.count(), 10);
  EXPECT_EQ(a.stages[0].blocked.total.count(), 2);
  EXPECT_EQ(a.stages[1].queue_wait.total.count(), 2);
  EXPECT_EQ(a.stages[0].marshalling->count(), 10);
  EXPECT_EQ(a.stages[0].marshalled, 2);
  std::int64_t copied = 0, late = 0;
  for (const PathShare& share : a.path.shares) {
    if (share.activity == PathActivity::copy) copied += share.total.count();
    if (share.activity == PathActivity::dispatch) late += share.total.count();
  }
  EXPECT_EQ(copied, 12);
  EXPECT_EQ(late, 4);
  EXPECT_EQ(a.path.explained, a.path.length);
}

TEST(DeviceAccount, a_run_without_copies_has_none_missing_not_zero) {
  const auto a = account(simulated_run(pipeline({stage_on(0)}, 2), {takes(4)}));
  EXPECT_FALSE(a.stages[0].copy.mean);
  EXPECT_FALSE(a.stages[0].marshalling);
}

TEST(DeviceAccount, tells_the_stages_of_a_device_apart) {
  auto shape = pipeline({stage_on(0), stage_on(1), stage_on(0)}, 4);
  shape.devices[0].requests = 1;
  const auto a = account(simulated_run(shape, {takes(3), takes(1), takes(2)}));
  ASSERT_EQ(a.device_stages.size(), 3U);
  EXPECT_EQ(a.device_stages[0].stage, 0);
  EXPECT_EQ(a.device_stages[1].stage, 2);
  EXPECT_EQ(a.device_stages[0].busy.count(), 12);
  EXPECT_EQ(a.device_stages[1].busy.count(), 8);
  EXPECT_EQ(a.device_stages[1].executions, 4);
  EXPECT_EQ(a.devices[0].busy.count(), 20);
  EXPECT_EQ(a.device_stages[2].device, 1);
}

TEST(DeviceAccount, a_device_that_nothing_reached_fills_all_the_time) {
  auto shape = pipeline({stage_on(0)}, 2);
  shape.devices.emplace_back();
  const auto a = account(simulated_run(shape, {takes(5)}));
  EXPECT_THAT(causes(a.devices[1]), ElementsAre(0, 0, 0, 0, 0, 0, 10, 0));
  EXPECT_EQ(a.devices[1].bubbles.count, 1);
}

TEST(DeviceAccount, nothing_happened_takes_no_time) {
  const auto a = account(simulated_run(pipeline({stage_on(0)}, 0), {takes(5)}));
  EXPECT_THAT(causes(a.devices[0]), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_FALSE(a.cycle);
  EXPECT_FALSE(a.bottleneck);
  EXPECT_FALSE(a.latency.mean);
  EXPECT_TRUE(a.path.shares.empty());
}

}  // namespace
}  // namespace takt
