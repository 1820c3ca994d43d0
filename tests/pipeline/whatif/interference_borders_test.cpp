// What counts as a slow-down and where it lies, on the borders: executions by hand, times in ns.
#include <gtest/gtest.h>

#include "pipeline/contention/interference.h"
#include "pipeline/record/run_words.h"

namespace takt {
namespace {

/// What one run of stages says of its first stage: executions one after the other, `beside` of each with the other.
struct MadeRun {
  std::vector<std::int64_t> durations;
  double beside = 0;  ///< share of each execution's time in which the second stage runs
  std::optional<std::int64_t> hardware{};
};

PipelineRun made_run(const MadeRun& made, std::size_t stages) {
  std::vector<FlowStage> shape;
  for (std::size_t s = 0; s < stages; ++s) shape.push_back(stage_on(static_cast<int>(s)));
  PipelineRun run = run_of(pipeline(shape, static_cast<std::int64_t>(made.durations.size())), {});
  for (RunDevice& device : run.devices) device.runtime = "openvino";
  std::int64_t now = 0;
  for (const std::int64_t duration : made.durations) {
    const auto other = static_cast<std::int64_t>(made.beside * static_cast<double>(duration) + 0.5);
    for (std::size_t s = 0; s < stages; ++s) {
      ExecutionRecord& record = run.schedule.executions.emplace_back();
      record.what.stage = record.what.device = static_cast<int>(s);
      record.ready = record.start = Nanoseconds(now);
      record.end = Nanoseconds(now + (s == 0 ? duration : other));
      run.counters.push_back(
          {made.hardware && s == 0 ? std::optional(Nanoseconds(*made.hardware)) : std::nullopt, {}, {}});
    }
    now += duration;
  }
  return run;
}

/// Stage "a" alone in each round, and beside "b" always alike; "b" does not suffer.
InterferenceReport report_of_made(const std::vector<MadeRun>& alone, const MadeRun& together,
                                  const InterferenceSettings& asked = {}) {
  InterferenceSettings settings = asked;
  settings.rounds = static_cast<int>(alone.size());
  settings.wanted = [](int stage, int beside) { return stage != beside; };
  std::size_t round = 0;
  return measure_interference(
      {"a", "b"},
      [&](const std::vector<int>& stages) {
        if (stages.size() == 2) return ++round, made_run(together, 2);
        return made_run(stages[0] == 0 ? alone[round] : MadeRun{std::vector<std::int64_t>(50, 1000)}, 1);
      },
      settings);
}

MadeRun all_of(std::int64_t duration, double beside = 1) { return {std::vector<std::int64_t>(50, duration), beside}; }

TEST(InterferenceBorders, a_slow_down_is_two_hundredths_at_least) {
  const auto pair = [](std::int64_t together) {
    return report_of_made({all_of(1000), all_of(1000)}, all_of(together)).pairs.at(0);
  };
  EXPECT_NEAR(*pair(1021).factor, 1.021, 1e-12);
  EXPECT_TRUE(pair(1021).significant);
  EXPECT_NEAR(*pair(1019).factor, 1.019, 1e-12);
  EXPECT_FALSE(pair(1019).significant);
  EXPECT_FALSE(pair(980).significant) << "faster";
  EXPECT_EQ(pair(1021).executions, 100);
}

TEST(InterferenceBorders, a_slow_down_is_more_than_twice_the_drift_of_the_stage_alone) {
  const auto report = [](std::int64_t together) {
    return report_of_made({all_of(980), all_of(1020)}, all_of(together));
  };
  EXPECT_NEAR(*report(1041).alone[0].drift, 0.02, 1e-12);
  EXPECT_TRUE(report(1041).pairs[0].significant);
  EXPECT_FALSE(report(1039).pairs[0].significant);
}

// f of together = alone + (1 − 1/f) · overlap · together: of 1000 alone, 1100 together and half of it beside f is
// 1 / (1 − 100 / 550).
TEST(InterferenceBorders, nothing_is_told_of_stages_that_hardly_ever_ran_at_once) {
  const auto pair = [](double beside) {
    return report_of_made({all_of(1000), all_of(1000)}, all_of(1100, beside)).pairs.at(0);
  };
  EXPECT_DOUBLE_EQ(*pair(0.5).overlap, 0.5);
  EXPECT_NEAR(*pair(0.5).factor, 1 / (1 - 100.0 / 550), 1e-12);
  EXPECT_DOUBLE_EQ(*pair(0.05).overlap, 0.05) << "55 of 1100";
  EXPECT_TRUE(pair(0.05).factor);
  EXPECT_NEAR(*pair(0.05).factor, 10, 1e-9) << "no more than nine tenths of the time are counted";
  const PairRow seldom = pair(0.049);
  EXPECT_NEAR(*seldom.overlap, 0.049, 1e-3);
  EXPECT_FALSE(seldom.factor || seldom.low || seldom.high || seldom.significant);
  EXPECT_EQ(seldom.p_value, 1);
  EXPECT_EQ(seldom.executions, 100);
}

TEST(InterferenceBorders, a_slow_down_is_scheduling_where_less_than_half_of_it_is_in_the_counters) {
  const auto cause = [](std::int64_t hardware) {
    MadeRun alone = all_of(1000), together = all_of(1500);
    alone.hardware = 900, together.hardware = hardware;
    return report_of_made({alone, alone}, together).pairs.at(0).cause;
  };
  EXPECT_EQ(cause(1149), SlowdownCause::scheduling);
  EXPECT_EQ(cause(1150), SlowdownCause::unknown) << "250 of 500, and nothing tells the bandwidth";
}

TEST(InterferenceBorders, a_slow_down_is_of_memory_where_both_want_more_than_half_of_the_bandwidth) {
  const auto cause = [](std::optional<double> other) {
    MadeRun alone = all_of(1000), together = all_of(1500);
    alone.hardware = 1000, together.hardware = 1500;
    InterferenceSettings settings;
    settings.peak_bytes_per_second = 1e9;  // 1000 bytes in 1000 ns are all of it
    settings.bytes = {300.0, other};
    return report_of_made({alone, alone}, together, settings).pairs.at(0).cause;
  };
  EXPECT_EQ(cause(201), SlowdownCause::memory);
  EXPECT_EQ(cause(199), SlowdownCause::device);
  EXPECT_EQ(cause(std::nullopt), SlowdownCause::unknown);
}

TEST(InterferenceBorders, every_round_has_each_stage_alone_and_each_pair_that_is_wanted) {
  std::vector<std::vector<int>> asked;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> told;
  InterferenceSettings settings;
  settings.rounds = 1;
  settings.progress = [&](std::uint64_t done, std::uint64_t total) { told.emplace_back(done, total); };
  const auto report = measure_interference(
      {"a", "b"},
      [&](const std::vector<int>& stages) {
        asked.push_back(stages);
        return made_run(all_of(1000), stages.size());
      },
      settings);
  EXPECT_EQ(report.rounds, 2) << "one says nothing of a drift";
  const std::vector<std::vector<int>> round{{0}, {1}, {0, 0}, {0, 1}, {1, 1}};
  std::vector<std::vector<int>> both = round;
  both.insert(both.end(), round.begin(), round.end());
  EXPECT_EQ(asked, both);
  ASSERT_EQ(told.size(), 10u);
  EXPECT_EQ(told.front(), (std::pair<std::uint64_t, std::uint64_t>(1, 10)));
  EXPECT_EQ(told.back(), (std::pair<std::uint64_t, std::uint64_t>(10, 10)));
  EXPECT_EQ(report.alone[0].executions, 100);
  EXPECT_EQ(report.alone[1].mean, Duration(1));
}

}  // namespace
}  // namespace takt
