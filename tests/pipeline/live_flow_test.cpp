// The engine's way of driving a pipeline, put on the virtual clock, against the simulation of flow.
#include "pipeline/live_flow.h"

#include <gtest/gtest.h>

#include "flow/random_pipeline.h"

namespace takt {
namespace {

class TimesOf final : public ServiceTimes {
 public:
  explicit TimesOf(const OracleInput& input) : input_(input) {}
  Nanoseconds service(const Execution& what) override { return Nanoseconds(input_.service(what)); }

 private:
  const OracleInput& input_;
};

// Executions of one instant may stand in any order: both lists are brought into the same.
std::vector<ExecutionRecord> sorted(std::vector<ExecutionRecord> records) {
  const auto key = [](const ExecutionRecord& r) {
    return std::tuple(r.start, r.what.batch, r.what.stage, r.what.part, r.what.phase);
  };
  std::sort(records.begin(), records.end(), [&](auto& a, auto& b) { return key(a) < key(b); });
  return records;
}

void expect_equal(const Schedule& a, const Schedule& b) {
  ASSERT_EQ(a.begin, b.begin);
  ASSERT_EQ(a.end, b.end);
  ASSERT_EQ(a.batches.size(), b.batches.size());
  for (std::size_t i = 0; i < a.batches.size(); ++i) {
    ASSERT_EQ(a.batches[i].arrived, b.batches[i].arrived);
    ASSERT_EQ(a.batches[i].admitted, b.batches[i].admitted);
    ASSERT_EQ(a.batches[i].delivered, b.batches[i].delivered);
  }
  ASSERT_EQ(a.visits.size(), b.visits.size());
  for (std::size_t i = 0; i < a.visits.size(); ++i) {
    const auto &x = a.visits[i], &y = b.visits[i];
    ASSERT_EQ(std::tuple(x.batch, x.stage, x.replica, x.entered, x.started, x.dispatched, x.joined, x.done, x.left),
              std::tuple(y.batch, y.stage, y.replica, y.entered, y.started, y.dispatched, y.joined, y.done, y.left));
  }
  const auto x = sorted(a.executions), y = sorted(b.executions);
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_TRUE(x[i].what == y[i].what);
    ASSERT_EQ(std::tuple(x[i].ready, x[i].start, x[i].end), std::tuple(y[i].ready, y[i].start, y[i].end));
  }
}

TEST(LiveFlow, on_the_virtual_clock_is_the_simulation_to_the_nanosecond) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    auto input = random_pipeline(seed);
    const ContentionLaw law = seed % 2 ? random_contention(input, seed) : ContentionLaw{};
    TimesOf times(input), again(input);
    LiveFlow live(input.shape, std::vector<bool>(input.shape.stages.size(), true), times, law);
    std::vector<ExecutionCounters> counters;
    const auto mine = run_virtually(live, input.arrivals, input.shape.source.open, std::nullopt, counters);
    SimulationOptions options;
    options.arrivals = input.arrivals;
    options.contention = law;
    expect_equal(mine, simulate(input.shape, again, options));
    if (HasFatalFailure()) return;
  }
}

TEST(LiveFlow, keeps_only_batches_before_the_first_that_was_not_delivered) {
  FlowShape shape;
  shape.devices.resize(1);
  shape.stages = {stage_on(0, 3)};
  shape.stages[0].ordered = false;
  FixedTimes none(shape, {{{Nanoseconds(1)}, {}, {}}});
  LiveFlow live(shape, {false}, none, {});
  const auto started = live.settle(Nanoseconds(0));
  ASSERT_EQ(started.size(), 3u);
  live.stop_source();
  live.finish({started[0].what, started[0].record, Nanoseconds(2), Nanoseconds(5), {}});
  live.settle(Nanoseconds(6));
  live.finish({started[2].what, started[2].record, Nanoseconds(3), Nanoseconds(7), {}});
  live.settle(Nanoseconds(8));
  std::vector<ExecutionCounters> counters;
  const auto schedule = live.take_schedule(counters);
  ASSERT_EQ(schedule.batches.size(), 1u);
  ASSERT_EQ(schedule.executions.size(), 1u);
  EXPECT_EQ(schedule.executions[0].start, Nanoseconds(2)) << "the time of the submission, not of the decision";
  EXPECT_EQ(schedule.executions[0].end, Nanoseconds(5)) << "the time of the callback";
  EXPECT_EQ(schedule.visits[0].left, Nanoseconds(6));
  EXPECT_EQ(schedule.end, Nanoseconds(6));
}

}  // namespace
}  // namespace takt
