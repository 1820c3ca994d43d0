#include "pipeline/account/critical_path.h"

#include <gtest/gtest.h>

#include "pipeline/record/run_words.h"

namespace takt {
namespace {

std::int64_t time_of(const CriticalPath& path, PathActivity activity, int stage, PathBinding binding) {
  for (const PathShare& share : path.shares)
    if (share.activity == activity && share.stage == stage && share.binding == binding) return share.total.count();
  return 0;
}

constexpr auto run_activity = PathActivity::run;

// A takes 2, B takes 5, four batches: A once to begin, then B four times, three of them because B's replica was taken.
TEST(CriticalPath, runs_through_the_bottleneck) {
  const auto path = account(simulated_run(pipeline({stage_on(0), stage_on(1)}, 4), {takes(2), takes(5)})).path;
  EXPECT_EQ(time_of(path, run_activity, 0, PathBinding::data), 2);
  EXPECT_EQ(time_of(path, run_activity, 1, PathBinding::replica), 15);
  EXPECT_EQ(time_of(path, run_activity, 1, PathBinding::end), 5);
  EXPECT_EQ(path.explained.count(), 22);
  EXPECT_EQ(path.length.count(), 22);
}

// Both stages take 5: batch 1 gets into B at 10, when B's replica becomes free. Of what was fulfilled at one instant
// the data counts.
TEST(CriticalPath, of_conditions_that_were_fulfilled_together_names_the_first) {
  const auto path = account(simulated_run(pipeline({stage_on(0), stage_on(1)}, 2), {takes(5), takes(5)})).path;
  EXPECT_EQ(time_of(path, run_activity, 1, PathBinding::end), 5);
  EXPECT_EQ(time_of(path, run_activity, 1, PathBinding::replica), 0);
  EXPECT_EQ(time_of(path, run_activity, 0, PathBinding::data), 5);
}

// One device, one request, stages of 3 and 4, two batches, and both orders of the path are the device's.
TEST(CriticalPath, names_the_request_of_a_shared_device) {
  auto shape = pipeline({stage_on(0), stage_on(0)}, 3);
  shape.devices[0].requests = 1;
  const auto path = account(simulated_run(shape, {takes(3), takes(4)})).path;
  EXPECT_EQ(path.explained.count(), 21);
  EXPECT_GT(time_of(path, run_activity, 0, PathBinding::request) + time_of(path, run_activity, 1, PathBinding::request),
            0);
}

// One batch inside at a time: the next is let in when the one before is delivered.
TEST(CriticalPath, names_the_bound_on_batches_in_flight) {
  auto shape = pipeline({stage_on(0), stage_on(1)}, 3);
  shape.source.in_flight = 1;
  const auto path = account(simulated_run(shape, {takes(3), takes(4)})).path;
  EXPECT_EQ(time_of(path, run_activity, 1, PathBinding::in_flight), 8);
  EXPECT_EQ(time_of(path, run_activity, 0, PathBinding::data), 9);
}

// Batches come every 10 and take 2: the run is as long as it is because of the source.
TEST(CriticalPath, blames_the_source_of_batches_that_come_slowly) {
  auto shape = pipeline({stage_on(0)}, 3);
  shape.source.open = true;
  SimulationOptions options;
  options.arrivals = {Nanoseconds(0), Nanoseconds(10), Nanoseconds(20)};
  const auto path = account(simulated_run(shape, {takes(2)}, options)).path;
  EXPECT_EQ(time_of(path, PathActivity::source, -1, PathBinding::data), 20);
  EXPECT_EQ(time_of(path, run_activity, 0, PathBinding::end), 2);
}

// Partition 2, parts 6 and 3, merge 1.
TEST(CriticalPath, goes_through_the_longest_part) {
  const auto a = account(simulated_run(pipeline({stage_over({0, 1})}, 1), {takes(2, {6, 3}, 1)}));
  EXPECT_EQ(time_of(a.path, PathActivity::partition, 0, PathBinding::data), 2);
  EXPECT_EQ(time_of(a.path, run_activity, 0, PathBinding::data), 6);
  EXPECT_EQ(time_of(a.path, PathActivity::merge, 0, PathBinding::end), 1);
}

// Two batches of 4; the second could start at 4 and starts at 5.
TEST(CriticalPath, charges_a_late_start_to_dispatch) {
  auto run = simulated_run(pipeline({stage_on(0)}, 2), {takes(4)});
  auto& late = run.schedule.executions[1];
  auto& visit = run.schedule.visits[1];
  late.start = visit.started = visit.dispatched = Nanoseconds(5);
  late.end = visit.joined = visit.done = visit.left = run.schedule.batches[1].delivered = Nanoseconds(9);
  const auto path = account(run).path;
  std::int64_t dispatch = 0;
  for (const PathShare& share : path.shares)
    if (share.activity == PathActivity::dispatch) dispatch += share.total.count();
  EXPECT_EQ(dispatch, 1);
  EXPECT_EQ(path.explained.count(), 9);
}

TEST(CriticalPath, explains_every_nanosecond_of_random_runs_without_dispatch) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto a = account(any_random_run(seed));
    ASSERT_EQ(a.path.explained, a.path.length);
    for (const PathShare& share : a.path.shares) ASSERT_NE(share.activity, PathActivity::dispatch);
  }
}

}  // namespace
}  // namespace takt
