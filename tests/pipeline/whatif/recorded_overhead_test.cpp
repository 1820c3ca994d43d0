// What recorded runs lost between one thing and the next, on a few executions each.
#include "pipeline/whatif/recorded_overhead.h"

#include <gmock/gmock.h>

#include "pipeline/contention/start_end_events.h"
#include "pipeline/record/run_words.h"

namespace takt {
namespace {

using testing::ElementsAre;

std::vector<std::int64_t> overheads(const FlowShape& shape, const Schedule& schedule) {
  std::vector<std::int64_t> list;
  for (const Nanoseconds one : recorded_overheads(shape, schedule)) list.push_back(one.count());
  return list;
}

/// Three batches at once on a device that takes two requests: 0–100, 0–50, and 50–80.
Schedule three_on_one(const FlowShape& shape) {
  BatchTimes times({{100}, {50}, {30}});
  return simulate(shape, times);
}

FlowShape with_two_requests() {
  FlowShape shape = pipeline({stage_on(0, 3, 3)}, 3);
  shape.stages[0].ordered = false;
  shape.devices[0].requests = 2;
  return shape;
}

TEST(RecordedOverheadByHand, of_the_third_on_a_device_counts_from_the_first_end) {
  const FlowShape shape = with_two_requests();
  Schedule schedule = three_on_one(shape);
  ASSERT_EQ(schedule.executions[2].start.count(), 50);
  EXPECT_THAT(overheads(shape, schedule), ElementsAre(0, 0, 0));
  const auto late = [&](std::int64_t by) {
    Schedule changed = schedule;
    changed.executions[2].start += Nanoseconds(by), changed.executions[2].end += Nanoseconds(by);
    return overheads(shape, changed);
  };
  EXPECT_THAT(late(1), ElementsAre(0, 0, 1));
  EXPECT_THAT(late(7), ElementsAre(0, 0, 7));
  EXPECT_THAT(late(50), ElementsAre(0, 0, 50)) << "when the other ends, too";
  EXPECT_THAT(late(90), ElementsAre(0, 0, 90)) << "there was room since 50";
  EXPECT_THAT(late(-1), ElementsAre(0, 0, 0)) << "no record has less";
}

// Without `requests` the device takes all; the third waits for a replica.
TEST(RecordedOverheadByHand, of_a_replica_counts_from_its_last_batch_on) {
  FlowShape shape = pipeline({stage_on(0, 2, 3)}, 3);
  shape.stages[0].ordered = false;
  Schedule schedule = three_on_one(shape);
  ASSERT_EQ(schedule.executions[2].start.count(), 50);
  auto& visit = schedule.visits[2];
  ASSERT_EQ(visit.replica, schedule.visits[1].replica);
  for (auto* time : {&schedule.executions[2].start, &schedule.executions[2].end, &visit.started, &visit.dispatched,
                     &visit.joined, &visit.done, &visit.left})
    *time += Nanoseconds(7);
  EXPECT_THAT(overheads(shape, schedule), ElementsAre(0, 0, 7));
  schedule.visits[1].left += Nanoseconds(3);
  EXPECT_THAT(overheads(shape, schedule), ElementsAre(0, 3, 4)) << "it left 3 later than it could";
}

// In order: the second is done at 50 and may leave at 100, with the first.
TEST(RecordedOverheadByHand, of_an_ordered_stage_counts_from_its_turn_on) {
  const FlowShape shape = pipeline({stage_on(0, 2, 2)}, 2);
  BatchTimes times({{100}, {50}});
  Schedule schedule = simulate(shape, times);
  ASSERT_EQ(schedule.visits[1].left.count(), 100);
  EXPECT_THAT(overheads(shape, schedule), ElementsAre(0, 0));
  schedule.visits[1].left += Nanoseconds(9);
  EXPECT_THAT(overheads(shape, schedule), ElementsAre(0, 9));
}

// Batch 2 is done at 30 and finds the one place taken until batch 1 starts at 110.
TEST(RecordedOverheadByHand, of_a_full_queue_counts_from_its_room_on) {
  for (const int room : {1, 2}) {
    const FlowShape shape = pipeline({stage_on(0), stage_on(1, 1, room)}, 3 + room - 1);
    const FlowShape& same = shape;
    Schedule schedule = takt::schedule(same, {takes(10), takes(100)});
    const std::size_t last = static_cast<std::size_t>(shape.source.batches.value()) - 1;
    VisitRecord& visit = schedule.visits[last * 2];
    ASSERT_EQ(visit.left.count(), 110) << room;
    const std::int64_t done = visit.done.count();
    ASSERT_LT(done, 110);
    EXPECT_THAT(overheads(shape, schedule), testing::Each(0));
    visit.left += Nanoseconds(5), schedule.visits[last * 2 + 1].entered += Nanoseconds(5);
    for (std::size_t e = 0; e < schedule.executions.size(); ++e) {
      const Execution& what = schedule.executions[e].what;
      const bool is_it = what.stage == 0 && what.batch == static_cast<std::int64_t>(last);
      EXPECT_EQ(overheads(shape, schedule)[e], is_it ? 5 : 0) << room << ' ' << e;
    }
  }
}

// 0–5 partition, 5–25 and 5–15 the parts, 25–30 the merge.
TEST(RecordedOverheadByHand, of_a_stage_of_parts_is_that_of_each_phase) {
  const FlowShape shape = pipeline({stage_over({0, 1})}, 1);
  Schedule schedule = takt::schedule(shape, {takes(5, {20, 10}, 5)});
  ASSERT_EQ(schedule.executions.size(), 4u);
  EXPECT_THAT(overheads(shape, schedule), ElementsAre(0, 0, 0, 0));
  const auto later = [&](std::size_t e, std::int64_t by) {
    schedule.executions[e].start += Nanoseconds(by), schedule.executions[e].end += Nanoseconds(by);
  };
  later(2, 3), later(3, 2);
  schedule.visits[0].done += Nanoseconds(2), schedule.visits[0].left += Nanoseconds(2 + 8);
  EXPECT_THAT(overheads(shape, schedule), ElementsAre(0, 0, 3, 2 + 8)) << "leaving late is the merge's";
}

TEST(Moments, come_in_order_and_ends_first) {
  std::vector<ExecutionRecord> executions;
  const auto add = [&](std::int64_t start, std::int64_t end, int device = 0) {
    ExecutionRecord& record = executions.emplace_back();
    record.what.device = device;
    record.ready = record.start = Nanoseconds(start), record.end = Nanoseconds(end);
  };
  add(10, 20), add(0, 10), add(10, 10), add(5, 10, Execution::host), add(10, 20, 1);
  std::vector<std::string> lines;
  for (const StartEndEvent& moment : start_end_events(executions))
    lines.push_back(std::to_string(moment.time) + (moment.start ? " start " : " end ") +
                    std::to_string(moment.execution));
  EXPECT_THAT(lines, ElementsAre("0 start 1", "10 end 1", "10 start 0", "10 start 4", "20 end 0", "20 end 4"));
}

}  // namespace
}  // namespace takt
