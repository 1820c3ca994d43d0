// Who ran beside whom, on executions that fit in a comment.
#include "pipeline/contention/overlap.h"

#include <gtest/gtest.h>

#include "pipeline/contention/stage_durations.h"
#include "pipeline/record/run_words.h"
#include "pipeline/whatif/extrapolation.h"

namespace takt {
namespace {

struct Ran {
  int stage;
  std::int64_t begin, end;
  std::int64_t batch = 0;
  FlowPhase phase = FlowPhase::run;
};

PipelineRun ran(int stages, const std::vector<Ran>& list) {
  std::vector<FlowStage> made;
  for (int s = 0; s < stages; ++s) made.push_back(stage_on(s));
  PipelineRun run = run_of(pipeline(made, 1), {});
  for (const Ran& one : list) {
    ExecutionRecord& record = run.schedule.executions.emplace_back();
    record.what.stage = one.stage, record.what.device = one.stage, record.what.batch = one.batch;
    record.what.phase = one.phase;
    record.ready = record.start = Nanoseconds(one.begin), record.end = Nanoseconds(one.end);
  }
  return run;
}

OverlapShare share_of(const PipelineRun& run, int stage, int beside) {
  for (const OverlapShare& share : overlap_shares(run))
    if (share.stage == stage && share.beside == beside) return share;
  return {-1, -1, -1, -1, -1};
}

// stage 0   AAAAAAAAAA          AAAAAAAAAAAAAAAAAAAA      0–10, 20–40
// stage 1        BBBBBBBBBB                               5–15
//                     BBBBBBBBBBBBBBBBBBBB                10–30
const std::vector<Ran> two_in_turns{{0, 0, 10}, {1, 5, 15}, {1, 10, 30}, {0, 20, 40}};

TEST(Overlap, is_the_time_of_others_over_ones_own) {
  const PipelineRun run = ran(3, two_in_turns);
  const OverlapShare first = share_of(run, 0, 1), second = share_of(run, 1, 0), same = share_of(run, 1, 1);
  EXPECT_DOUBLE_EQ(first.mean, 15.0 / 30);
  EXPECT_DOUBLE_EQ(first.low, 0.5);
  EXPECT_DOUBLE_EQ(first.high, 0.5);
  EXPECT_DOUBLE_EQ(second.mean, 15.0 / 30);
  EXPECT_DOUBLE_EQ(same.mean, 10.0 / 30) << "each beside the other for 5";
  EXPECT_DOUBLE_EQ(same.low, 0.25 + 0.05 * 0.25);
  EXPECT_DOUBLE_EQ(same.high, 0.25 + 0.95 * 0.25);
  EXPECT_DOUBLE_EQ(share_of(run, 0, 0).mean, 0);
  EXPECT_DOUBLE_EQ(share_of(run, 0, 2).mean, 0);
  EXPECT_EQ(share_of(run, 2, 0).stage, -1) << "it did nothing";
  EXPECT_EQ(overlap_shares(run).size(), 6u);
}

TEST(Overlap, counts_what_began_long_before_and_several_at_once) {
  // 0–100 is the longest of stage 1; three of stage 2 lie within an execution of stage 0.
  const PipelineRun run = ran(3, {{1, 0, 100}, {2, 61, 62}, {0, 60, 70}, {2, 60, 70}, {2, 69, 90}, {1, 70, 80}});
  EXPECT_DOUBLE_EQ(share_of(run, 0, 1).mean, 1) << "70 is no longer beside it";
  EXPECT_DOUBLE_EQ(share_of(run, 0, 2).mean, (1 + 10 + 1) / 10.0);
}

TEST(Overlap, leaves_out_warm_up_the_host_and_what_took_no_time) {
  auto list = two_in_turns;
  list.push_back({0, 12, 12, 3});
  list.push_back({0, 12, 14, 3, FlowPhase::partition});
  PipelineRun run = ran(2, list);
  EXPECT_DOUBLE_EQ(share_of(run, 0, 1).mean, 0.5);
  run.warmup = 1;
  EXPECT_TRUE(overlap_shares(run).empty());
  for (ExecutionRecord& record : run.schedule.executions) record.what.batch = 1;
  EXPECT_DOUBLE_EQ(share_of(run, 0, 1).mean, 0.5);
}

TEST(Overlap, of_a_long_run_is_told_by_its_first_four_thousand_executions) {
  std::vector<Ran> list;
  for (std::int64_t i = 0; i < 4000; ++i) list.push_back({0, 10 * i, 10 * i + 10});
  list.push_back({1, 40'000, 50'000});
  for (std::int64_t i = 4000; i < 5000; ++i) list.push_back({0, 10 * i, 10 * i + 10});
  EXPECT_DOUBLE_EQ(share_of(ran(2, list), 0, 1).mean, 0);
  EXPECT_DOUBLE_EQ(share_of(ran(2, list), 1, 0).mean, 1) << "beside, all count";
}

// Two rounds: 10, 20 and 30 without counters, then 40. The first and the last tell theirs: 6 and 20.
TEST(StageDurations, are_of_all_rounds_and_counters_of_those_that_have_them) {
  PipelineRun first = ran(2, {{0, 0, 10}, {1, 5, 12}, {0, 10, 30}, {0, 40, 70}}), second = ran(2, {{0, 0, 40}});
  for (PipelineRun* run : {&first, &second})
    for (RunDevice& device : run->devices) device.runtime = "openvino";
  first.counters.resize(4);
  first.counters[0].hardware = Nanoseconds(6);
  second.counters.resize(1);
  second.counters[0].hardware = Nanoseconds(20);
  StageDurations durations;
  add_durations(first, 0, 1, durations);
  add_durations(second, 0, 1, durations);
  EXPECT_EQ(durations.all, (std::vector<double>{10, 20, 30, 40}));
  EXPECT_EQ(durations.round_means, (std::vector<double>{20, 40}));
  EXPECT_DOUBLE_EQ(*durations.overlap(), 7.0 / 100) << "from 5 to 12, over two executions";
  EXPECT_DOUBLE_EQ(*durations.hardware_mean(), 13);
  first.devices[0].runtime = "sim";
  StageDurations simulated;
  add_durations(first, 0, std::nullopt, simulated);
  EXPECT_FALSE(simulated.hardware_mean()) << "a description's counters";
  EXPECT_DOUBLE_EQ(*simulated.overlap(), 0);
  first.warmup = 1;
  StageDurations warm;
  add_durations(first, 0, 1, warm);
  EXPECT_TRUE(warm.all.empty() && warm.round_means.empty());
  EXPECT_FALSE(warm.overlap());
}

ContentionPosterior factors_of(PossibleFactor factor) {
  ContentionPosterior laws;
  laws.factors.assign(2, std::vector<PossibleFactor>(2, factor));
  return laws;
}

TEST(Extrapolation, is_of_overlaps_that_change_and_factors_that_are_open) {
  // Beside each other for half of stage 0's time before.
  const PipelineRun before = ran(2, {{0, 0, 100}, {1, 0, 50}});
  const auto found = [&](std::int64_t until, double low, double high) {
    std::vector<std::pair<int, int>> pairs;
    for (const Extrapolation& one :
         extrapolations(before, ran(2, {{0, 0, 100}, {1, 0, until}, {1, 200, 300}}), factors_of({low, low, high})))
      pairs.emplace_back(one.stage, one.beside);
    return pairs;
  };
  using Pairs = std::vector<std::pair<int, int>>;
  EXPECT_EQ(found(62, 1, 2), (Pairs{{0, 1}, {1, 0}}));
  EXPECT_EQ(found(59, 1, 2), (Pairs{{1, 0}})) << "0.59 instead of 0.5; stage 1 is alone for most of its time now";
  EXPECT_EQ(found(62, 2, 2.25), (Pairs{{0, 1}, {1, 0}}));
  EXPECT_EQ(found(62, 2, 2.125), Pairs{}) << "known to a tenth";
}

}  // namespace
}  // namespace takt
