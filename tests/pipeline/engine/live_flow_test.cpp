// The engine's way of driving a pipeline, put on the virtual clock, against the simulation of flow.
#include "pipeline/engine/live_flow.h"

#include <gtest/gtest.h>

#include "flow/flow_words.h"
#include "flow/random_pipeline.h"
#include "pipeline/record/kept_batches.h"

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

/// A run without names for a sink, which needs to know how many stages there are.
PipelineRun run_over(const FlowShape& shape) {
  PipelineRun run;
  run.shape = shape;
  run.stages.resize(shape.stages.size());
  return run;
}

TEST(LiveFlow, on_the_virtual_clock_is_the_simulation_to_the_nanosecond) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    auto input = random_pipeline(seed);
    const ContentionLaw law = seed % 2 ? random_contention(input, seed) : ContentionLaw{};
    TimesOf times(input), again(input);
    PipelineRun run = run_over(input.shape);
    KeptBatches kept;
    kept.open(run, {});
    LiveFlow live(input.shape, std::vector<bool>(input.shape.stages.size(), true), times, law, kept);
    run_virtually(live, input.arrivals, input.shape.source.open, std::nullopt);
    EXPECT_EQ(live.under_way().size(), 0u);
    kept.end(run);
    SimulationOptions options;
    options.arrivals = input.arrivals;
    options.contention = law;
    expect_equal(run.schedule, simulate(input.shape, again, options));
    if (HasFatalFailure()) return;
  }
}

TEST(LiveFlow, keeps_only_batches_before_the_first_that_was_not_delivered) {
  FlowShape shape;
  shape.devices.resize(1);
  shape.stages = {stage_on(0, 3)};
  shape.stages[0].ordered = false;
  FixedTimes none(shape, {{{Nanoseconds(1)}, {}, {}}});
  PipelineRun run = run_over(shape);
  KeptBatches kept;
  kept.open(run, {});
  LiveFlow live(shape, {false}, none, {}, kept);
  const auto started = live.settle(Nanoseconds(0));
  ASSERT_EQ(started.size(), 3u);
  live.stop_source();
  live.finish({started[0].what, started[0].record, Nanoseconds(2), Nanoseconds(5), {}});
  live.settle(Nanoseconds(6));
  live.finish({started[2].what, started[2].record, Nanoseconds(3), Nanoseconds(7), {}});
  live.settle(Nanoseconds(8));
  EXPECT_EQ(live.under_way().size(), 2u) << "one executes, one waits";
  kept.end(run);
  const Schedule& schedule = run.schedule;
  ASSERT_EQ(schedule.batches.size(), 1u);
  ASSERT_EQ(schedule.executions.size(), 1u);
  EXPECT_EQ(schedule.executions[0].start, Nanoseconds(2)) << "the time of the submission, not of the decision";
  EXPECT_EQ(schedule.executions[0].end, Nanoseconds(5)) << "the time of the callback";
  EXPECT_EQ(schedule.visits[0].left, Nanoseconds(6));
  EXPECT_EQ(schedule.end, Nanoseconds(6));
}

/// Keeps nothing, and looks what the pipeline still holds.
class LookingSink final : public BatchSink {
 public:
  explicit LookingSink(std::int64_t first) : first_(first) {}
  void open(const PipelineRun&, std::optional<std::int64_t>) override {}
  void start(Nanoseconds) override {}
  void take(const BatchPassage& batch) override {
    ++taken;
    steps += batch.steps.size();
    const std::size_t bytes = live->under_way().held_bytes();
    (taken <= first_ ? most_at_first : most_later) = std::max(taken <= first_ ? most_at_first : most_later, bytes);
    most_inside = std::max(most_inside, live->under_way().size());
  }
  void end(PipelineRun&) override {}

  const LiveFlow* live = nullptr;
  std::int64_t taken = 0;
  std::size_t steps = 0, most_at_first = 0, most_later = 0, most_inside = 0;

 private:
  std::int64_t first_;
};

/// times[stage] are those of its batches, again and again.
class RepeatingTimes final : public ServiceTimes {
 public:
  explicit RepeatingTimes(std::vector<std::vector<std::int64_t>> times) : times_(std::move(times)) {}
  Nanoseconds service(const Execution& what) override {
    const auto& of_stage = times_[index(what.stage)];
    return Nanoseconds(of_stage[index(what.batch) % of_stage.size()]);
  }

 private:
  std::vector<std::vector<std::int64_t>> times_;
};

TEST(LiveFlow, holds_only_batches_that_are_inside_however_many_there_were) {
  constexpr std::int64_t batches = 100'000;
  auto shape = pipeline({stage_on(0, 3, 4), stage_over({0, 1}, 2, 3), stage_on(1, 2, 2)}, batches);
  shape.stages[0].ordered = false;
  shape.stages[2].ordered = false;
  RepeatingTimes times({{3, 9, 2, 200, 5}, {4, 2, 7}, {1, 1, 8, 2}});  // some stay behind while others overtake them
  LookingSink sink(2'000);
  LiveFlow live(shape, {true, true, true}, times, {}, sink);
  sink.live = &live;
  run_virtually(live, {}, false, std::nullopt);
  EXPECT_EQ(sink.taken, batches);
  EXPECT_EQ(sink.steps, static_cast<std::size_t>(batches) * (1 + 4 + 1));
  EXPECT_LE(sink.most_inside, 3u + 4 + 2 + 3 + 2 + 2) << "replicas and queues";
  EXPECT_LT(sink.most_later, sink.most_at_first + 4'000) << "bytes, after 98,000 batches more";
  EXPECT_LT(sink.most_later, 64u * 1024);
}

TEST(LiveFlow, holds_of_an_open_source_only_what_waits) {
  auto shape = pipeline({stage_on(0)}, 1'000);
  shape.source.open = true;
  FixedTimes times(shape, {takes(1)});
  KeptBatches kept;
  PipelineRun run = run_over(shape);
  kept.open(run, {});
  LiveFlow live(shape, {true}, times, {}, kept);
  std::vector<Nanoseconds> arrivals;
  for (int i = 0; i < 1'500; ++i) arrivals.emplace_back(i * 10);
  run_virtually(live, arrivals, true, std::nullopt);
  kept.end(run);
  ASSERT_EQ(run.schedule.batches.size(), 1'000u);
  for (std::size_t b = 0; b < 1'000; ++b) ASSERT_EQ(run.schedule.batches[b].arrived, arrivals[b]);
}

}  // namespace
}  // namespace takt
