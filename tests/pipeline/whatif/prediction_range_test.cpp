#include "pipeline/whatif/prediction_range.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/whatif/random_what_ifs.h"
#include "pipeline/whatif/what_if.h"
#include "places.h"

namespace takt {
namespace {

std::vector<PipelineChange> changes_of(const std::vector<std::string>& texts) {
  std::vector<PipelineChange> changes;
  for (const auto& text : texts) changes.push_back(parse_change(text));
  return changes;
}

Range<Duration> makespan_range(const WhatIf& result) { return result.summary.at(2).ranges->makespan; }

bool holds(const Range<Duration>& range, Duration value) { return range.low <= value && value <= range.high; }

/// Relative to the prediction.
double width(const WhatIf& result) {
  const Range<Duration> range = makespan_range(result);
  return (range.high - range.low) / Duration(result.summary.at(2).makespan);
}

/// Two stages of 5 ms in lock-step, each 1.5 times as slow beside the other.
TruePipeline lock_step() {
  TruePipeline truth = chain({5000, 5000});
  truth.contention.interference = {{1, 1.5}, {1.5, 1}};
  truth.law_in_record = false;
  return truth;
}

// Less overlap is as new as more: how long the stages take alone, nobody has seen.
TEST(PredictionRange, hold_the_truth_where_an_overlap_ends) {
  struct Case {
    std::string change;
    double truth_ms, latency_ms;
  };
  // 200 batches one after the other; 5 ms of infer, of which gather is beside 3.75 of the 6.25 ms that it takes; one
  // batch every 20 ms.
  for (const auto& [change, truth_ms, latency_ms] :
       {Case{"source.in_flight=1", 2000, 10}, Case{"stage.gather.time=x0.5", 1252, 0},
        Case{"source.rate=50", 3990, 10}}) {
    const WhatIf result = what_if(run_truth(lock_step()), changes_of({change}));
    EXPECT_TRUE(holds(makespan_range(result), Duration(truth_ms * 1e3))) << change;
    if (latency_ms > 0) {
      EXPECT_TRUE(holds(*result.summary[2].ranges->latency, Duration(latency_ms * 1e3))) << change;
    }
    EXPECT_FALSE(result.extrapolated.empty()) << change;
    std::string text = to_text(result);
    std::replace(text.begin(), text.end(), '\n', ' ');
    const char* words = result.extrapolated[0].stage == 0 ? "In the recording gather and infer always ran concurrently"
                                                          : "In the recording infer and gather always ran concurrently";
    EXPECT_NE(text.find(words), std::string::npos) << text;
  }
}

TEST(PredictionRange, are_one_where_nothing_is_left_open) {
  TruePipeline truth = lock_step();
  truth.law_in_record = true;
  const WhatIf known = what_if(run_truth(truth), changes_of({"source.in_flight=1"}));
  EXPECT_LT(width(known), 1e-3);
  EXPECT_TRUE(known.extrapolated.empty());
  const WhatIf same = what_if(run_truth(lock_step()), {});
  EXPECT_LE(std::abs(same.summary[2].makespan.count() - same.summary[0].makespan.count()), 1);
  EXPECT_TRUE(same.extrapolated.empty()) << "stages overlap as they did";
  EXPECT_LT(width(same), 0.02) << "what is not known of the law cancels out where nothing changes";
}

TEST(PredictionRange, are_wider_where_times_are_noisier_and_batches_fewer) {
  const auto width_of = [](double sigma, std::int64_t batches) {
    TruePipeline truth = chain({1000, 2500, 1500}, 2, batches);
    truth.sigma = sigma;
    return width(what_if(run_truth(truth), changes_of({"stage.infer.time=x0.9"})));
  };
  EXPECT_LT(width_of(0, 100), 1e-6);
  EXPECT_GT(width_of(0.2, 100), 2 * width_of(0.05, 100));
  EXPECT_GT(width_of(0.2, 100), 2 * width_of(0.2, 1600)) << "four times, and only 500 of the 1,600 are drawn";
}

// Of 2000 batches 500 are drawn. Each stage took 7.5 ms beside the other. Alone it takes 5 ms by the known law and 6 ms
// by the laws that are drawn, so 2000 batches one after the other take 20 s and may take 24 s.
TEST(PredictionRange, of_a_long_run_are_drawn_from_its_beginning_and_hold_for_all_of_it) {
  TruePipeline truth = chain({5000, 5000}, 2, 2000);
  truth.contention.interference = {{1, 1.5}, {1.5, 1}};
  const PipelineRun run = run_truth(truth);
  KnownContention known = known_contention(run);
  ContentionLaw other = known.law;
  other.interference = {{1, 1.25}, {1.25, 1}};
  known.possible.laws.assign(10, other);
  const auto changes = changes_of({"source.in_flight=1"});
  const Accounts predicted = account(replay(run, changes, known.law));
  EXPECT_NEAR(static_cast<double>(predicted.window.length().count()) / 1e9, 20, 0.02);
  const RunRanges ranges = PredictionRange(run, known, 0).ranges(changes, predicted);
  EXPECT_NEAR(ranges.makespan.low.count() / 1e6, 20, 0.02);
  EXPECT_NEAR(ranges.makespan.high.count() / 1e6, 24, 0.05);
  EXPECT_NEAR(ranges.cycle->low.count() / 1e3, 10, 0.02);
  EXPECT_NEAR(ranges.cycle->high.count() / 1e3, 12, 0.03);
  EXPECT_NEAR(ranges.latency->low.count() / 1e3, 10, 0.02);
  EXPECT_NEAR(ranges.latency->high.count() / 1e3, 12, 0.03);
}

TEST(PredictionRange, hold_what_the_replay_misses) {
  const PipelineRun run = run_truth(chain({1000, 2500}));
  const KnownContention known = known_contention(run);
  const Accounts predicted = account(replay(run, {}, known.law));
  const auto range = PredictionRange(run, known, 0.08).ranges({}, predicted).makespan;
  const Duration makespan(predicted.window.length());
  EXPECT_NEAR(range.low / makespan, 0.92, 1e-3);
  EXPECT_NEAR(range.high / makespan, 1.08, 1e-3);
}

// Two stages of one thread each, on two cores; a replica makes three, and beyond taking turns, executions that are
// moved from core to core take longer: what such rows of bench/what_if.md took.
TEST(PredictionRange, hold_what_sharing_cores_costs) {
  for (const double cost : {1.0, 1.15, 1.3}) {
    TruePipeline truth = chain({4000, 6000}, 2, 60);
    truth.law_in_record = false;
    truth.contention.core_share = {0.5, 0.5};
    for (auto& stage : truth.shape.stages) stage.replicas.assign(1, {0});
    PipelineRun run = run_truth(truth);
    run.cores = 2;
    for (auto& stage : run.stages) stage.threads = 1;
    const WhatIf result = what_if(run, changes_of({"stage.infer.replicas=2"}));
    truth.shape.stages[1].replicas.assign(2, {0});
    truth.contention.device_curve = {{1, 1, cost, cost, cost, cost, cost}};
    const Nanoseconds really = run_truth(truth).schedule.makespan();
    EXPECT_TRUE(holds(makespan_range(result), Duration(really)))
        << cost << ": " << Duration(really).count() << " in " << makespan_range(result).low.count() << " to "
        << makespan_range(result).high.count();
  }
}

TEST(PredictionRange, hold_the_truth_of_random_changes) {
  if (is_sanitized()) GTEST_SKIP() << only_more_cases;
  int inside = 0, cases = 0;
  for (std::uint64_t seed = 500; seed < 500 + random_cases(60); ++seed) {
    const WhatIfCase one = random_what_if(seed);
    const PipelineRun run = run_truth(one.truth);
    const KnownContention known = known_contention(run);
    const auto changes = changes_of(one.changes);
    const PipelineRun again = replay(run, {}, known.law), after = replay(run, changes, known.law);
    const auto range = PredictionRange(run, known, replay_error(run, again)).ranges(changes, account(after)).makespan;
    inside += holds(range, Duration(window_of(one.run_changed()).length()));
    ++cases;
  }
  EXPECT_GE(inside, cases * 8 / 10);
}

}  // namespace
}  // namespace takt
