#include "pipeline/whatif/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/basics/error.h"
#include "flow/arrivals.h"
#include "flow/random_pipeline.h"
#include "pipeline/whatif/known_contention.h"
#include "pipeline/whatif/recorded_overhead.h"
#include "pipeline/whatif/what_if_cases.h"
#include "places.h"

namespace takt {
namespace {

class FromFunction final : public ServiceTimes {
 public:
  explicit FromFunction(const OracleInput& input) : input_(input) {}
  Nanoseconds service(const Execution& what) override { return Nanoseconds(input_.service(what)); }

 private:
  const OracleInput& input_;
};

PipelineRun simulated(const OracleInput& input) {
  FromFunction times(input);
  PipelineRun run;
  run.shape = input.shape;
  for (std::size_t d = 0; d < run.shape.devices.size(); ++d) run.devices.push_back({"d" + std::to_string(d), "sim"});
  for (std::size_t s = 0; s < run.shape.stages.size(); ++s)
    run.stages.push_back({"s" + std::to_string(s), "", false, {}, {}});
  run.schedule = simulate(run.shape, times, {input.arrivals, {}, true});
  return run;
}

double relative(const PipelineRun& a, const PipelineRun& b) {
  return std::abs(
      static_cast<double>(a.schedule.makespan().count()) / static_cast<double>(b.schedule.makespan().count()) - 1);
}

std::vector<PipelineChange> parsed(const std::vector<std::string>& texts) {
  std::vector<PipelineChange> changes;
  for (const auto& text : texts) changes.push_back(parse_change(text));
  return changes;
}

std::string replay_refusal(const PipelineRun& run, const std::string& change) {
  try {
    replay(run, parsed({change}));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RecordedOverhead, is_zero_where_the_rules_alone_decided) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    for (const auto& input : {random_pipeline(seed), random_graph(seed)}) {
      const PipelineRun run = simulated(input);
      const auto overheads = recorded_overheads(run.shape, run.schedule);
      ASSERT_EQ(overheads.size(), run.schedule.executions.size());
      for (const auto overhead : overheads) ASSERT_EQ(overhead.count(), 0) << "seed " << seed;
    }
  }
}

TEST(RecordedOverhead, is_what_a_late_start_and_a_late_departure_add) {
  PipelineRun run = run_truth(chain({1000, 500}, 2, 1));
  auto& schedule = run.schedule;
  schedule.executions[0].start += Nanoseconds(30);  // the only batch: nothing held it back
  schedule.executions[0].end += Nanoseconds(30);
  schedule.visits[0].started += Nanoseconds(30);
  schedule.visits[0].done += Nanoseconds(30);
  schedule.visits[0].left += Nanoseconds(50);
  schedule.visits[1].entered += Nanoseconds(50);
  schedule.executions[1].ready += Nanoseconds(50);
  for (auto* time : {&schedule.executions[1].start, &schedule.executions[1].end, &schedule.visits[1].started,
                     &schedule.visits[1].done, &schedule.visits[1].left, &schedule.batches[0].delivered, &schedule.end})
    *time += Nanoseconds(50);
  const auto overheads = recorded_overheads(run.shape, schedule);
  EXPECT_EQ(overheads[0].count(), 30 + 20);
  EXPECT_EQ(overheads[1].count(), 0);
  EXPECT_EQ(replay(run, {}).schedule.makespan(), schedule.makespan());
}

TEST(Replay, without_a_change_is_exact) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const PipelineRun run = simulated(seed < 400 ? random_pipeline(seed) : random_graph(seed));
    const PipelineRun again = replay(run, {}, {});
    ASSERT_EQ(again.schedule.makespan(), run.schedule.makespan()) << "seed " << seed;
    ASSERT_EQ(again.schedule.executions.size(), run.schedule.executions.size());
    for (std::size_t e = 0; e < run.schedule.executions.size(); ++e) {
      ASSERT_EQ(again.schedule.executions[e].what, run.schedule.executions[e].what) << "seed " << seed;
      ASSERT_EQ(again.schedule.executions[e].end, run.schedule.executions[e].end) << "seed " << seed;
    }
  }
}

TEST(Replay, divides_by_a_known_law_and_applies_it_again) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    OracleInput input = random_pipeline(seed);
    PipelineRun run = simulated(input);
    const ContentionLaw law = random_contention(input, seed);
    if (law.empty()) continue;
    FromFunction times(input);
    run.schedule = simulate(run.shape, times, {input.arrivals, law, true});
    run.contention = law;
    if (run.schedule.makespan() < Nanoseconds(10'000)) continue;  // there a rounded nanosecond is much
    EXPECT_LT(relative(replay(run, {}), run), 0.005) << "seed " << seed;
  }
}

TEST(Replay, a_late_scheduler_is_replayed_as_it_was) {
  // Every start is late by 50 µs of 2 ms: a driver that is slow, as an engine on a busy machine would be.
  TruePipeline slow = chain({1000, 2000, 1500});
  for (auto& stage : slow.stages) stage.whole_us[0] += 50;
  PipelineRun run = run_truth(slow);
  for (auto& record : run.schedule.executions) record.start += Nanoseconds(50'000);
  for (auto& visit : run.schedule.visits) visit.started += Nanoseconds(50'000), visit.dispatched = visit.started;
  EXPECT_LT(relative(replay(run, {}), run), 0.01);
  const PipelineRun faster = replay(run, parsed({"stage.infer.time=x0.5"}));
  TruePipeline truth = slow;
  truth.stages[1].whole_us[0] = 1050;  // the work is halved, what the scheduler takes is not
  EXPECT_LT(relative(faster, run_truth(truth)), 0.02);
}

class WhatIfPrediction : public testing::TestWithParam<WhatIfCase> {};

TEST_P(WhatIfPrediction, agrees_with_the_changed_pipeline_within_5_percent) {
  const WhatIfCase& one = GetParam();
  const PipelineRun recorded = run_truth(one.truth);
  EXPECT_LT(relative(replay(recorded, {}), recorded), 0.05);
  const PipelineRun really = one.run_changed();
  const PipelineRun predicted = one.predict(recorded);
  EXPECT_LT(relative(predicted, really), 0.05)
      << "recorded " << recorded.schedule.makespan().count() << " really " << really.schedule.makespan().count()
      << " predicted " << predicted.schedule.makespan().count();
}

std::string case_name(const testing::TestParamInfo<WhatIfCase>& one) {
  std::string name = one.param.kind + "_" + one.param.name;
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(cases, WhatIfPrediction, testing::ValuesIn(what_if_cases()), case_name);

TEST(Replay, cases_are_at_least_25_of_every_kind) {
  std::multiset<std::string> kinds;
  for (const auto& one : what_if_cases()) kinds.insert(one.kind);
  EXPECT_GE(kinds.size(), 25u);
  for (const auto* kind : {"plain", "contention", "noise", "blocking"}) EXPECT_GE(kinds.count(kind), 5u) << kind;
}

TEST(Replay, names_that_the_run_does_not_have_are_refused) {
  const PipelineRun run = run_truth(chain({1000, 2500, 1500}));
  EXPECT_EQ(replay_refusal(run, "stage.infr.time=x0.5"),
            "'stage.infr.time=x0.5': the run has no stage 'infr'; did you mean 'infer'?");
  EXPECT_EQ(replay_refusal(run, "device.gpu7.requests=2"),
            "'device.gpu7.requests=2': the run has no device 'gpu7'; it has a, b, c");
  EXPECT_EQ(replay_refusal(run, "stage.infer.device=a"),
            "'stage.infer.device=a': stage 'infer' never ran on a, so its time there is unknown; also give --set "
            "stage.infer.time=x0.5 or =5ms");
  EXPECT_EQ(replay_refusal(run, "stage.infer.ratio=0.5,0.5"),
            "'stage.infer.ratio=0.5,0.5': the stage is not split over several devices");
}

TEST(Replay, a_split_of_unknown_shares_is_refused) {
  for (const auto& one : what_if_cases()) {
    if (one.name != "split 0.5,0.5 to 0.6,0.4") continue;
    PipelineRun run = run_truth(one.truth);
    EXPECT_EQ(replay_refusal(run, "stage.infer.ratio=0.2,0.3,0.5"),
              "'stage.infer.ratio=0.2,0.3,0.5': the stage has 2 parts; give one share for each");
    run.stages[1].ratio.clear();
    EXPECT_THAT(replay_refusal(run, "stage.infer.ratio=0.6,0.4"), testing::HasSubstr("does not report the shares"));
    return;
  }
  FAIL() << "the case is gone";
}

TEST(KnownContention, finds_the_law_in_overlaps_and_never_takes_noise_for_contention) {
  if (is_sanitized()) GTEST_SKIP() << only_more_cases;
  TruePipeline truth = chain({1000, 2500, 1500}, 2, 600);
  truth.law_in_record = false;
  truth.sigma = 0.2;
  EXPECT_TRUE(known_contention(run_truth(truth)).found.empty());
  int false_alarms = 0;
  for (truth.seed = 100; truth.seed < 100 + random_cases(10); ++truth.seed)
    false_alarms += static_cast<int>(known_contention(run_truth(truth)).found.size());
  EXPECT_LE(false_alarms, 2);
  truth.contention.interference = {{1, 1, 1}, {1.6, 1, 1}, {1, 1, 1}};
  truth.shape.source.open = true;
  truth.arrivals = poisson_arrivals(Nanoseconds(4'500'000), 600, 3);
  truth.sigma = 0.1;
  const auto found = known_contention(run_truth(truth)).found;
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].stage, 1);
  EXPECT_EQ(found[0].beside, 0);
  EXPECT_NEAR(found[0].factor, 1.6, 0.15);
  EXPECT_LT(found[0].low, 1.6);
  EXPECT_GT(found[0].high, 1.6);
}

}  // namespace
}  // namespace takt
