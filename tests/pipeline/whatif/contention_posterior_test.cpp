#include "pipeline/contention/contention_posterior.h"

#include <gtest/gtest.h>

#include <cmath>

#include "flow/arrivals.h"
#include "pipeline/contention/crowds.h"
#include "pipeline/whatif/known_contention.h"
#include "pipeline/whatif/range.h"
#include "pipeline/whatif/what_if_cases.h"

namespace takt {
namespace {

/// Two stages of 5 ms, each 1.5 times as slow beside the other, which the record does not tell.
TruePipeline law_pair(std::int64_t batches = 200) {
  TruePipeline truth = chain({5000, 5000}, 2, batches);
  truth.contention.interference = {{1, 1.5}, {1.5, 1}};
  truth.law_in_record = false;
  return truth;
}

/// Batches come at random times, so that the stages overlap now more and now less.
TruePipeline now_and_then(TruePipeline truth, double gap_us) {
  truth.shape.source.open = true;
  const auto gap = Nanoseconds(static_cast<std::int64_t>(gap_us * 1e3));
  truth.arrivals = poisson_arrivals(gap, *truth.shape.source.batches, 5);
  return truth;
}

ContentionPosterior possible(const TruePipeline& truth) { return known_contention(run_truth(truth)).possible; }

TEST(Crowds, are_who_ran_beside_and_for_how_long) {
  // gather 1 ms, infer 2.5 ms: while infer works on a batch, gather is beside it for 1 ms.
  const PipelineRun run = run_truth(chain({1000, 2500}, 2, 20));
  const auto crowds = crowds_of(run, {}, 100);
  ASSERT_EQ(crowds.size(), 2u);
  ASSERT_FALSE(crowds[1].executions.empty());
  const CrowdedExecution& one = crowds[1].executions[5];
  EXPECT_EQ(one.duration_ns, 2.5e6);
  double beside = 0, all = 0;
  for (const CrowdedTime& time : one.times) {
    all += time.ns;
    if (crowds[1].crowds[time.crowd].others == std::vector<int>{1, 0}) beside += time.ns;
  }
  EXPECT_EQ(all, 2.5e6);
  EXPECT_EQ(beside, 1e6);
  EXPECT_EQ(crowds[1].crowds[one.at_end].others, (std::vector<int>{0, 0}));
  EXPECT_EQ(crowds_of(run, {}, 3)[0].executions.size(), 3u);
}

// Two stages of 1 ms in lock-step: from 1 ms, when the second begins, to 5 ms, when the first has done its five batches.
TEST(Crowds, are_of_executions_while_every_stage_works) {
  PipelineRun run = run_truth(chain({1000, 1000}, 2, 5));
  const auto counted = [&] {
    std::vector<std::size_t> counts;
    for (const StageCrowds& stage : crowds_of(run, {}, 100)) counts.push_back(stage.executions.size());
    return counts;
  };
  EXPECT_EQ(counted(), (std::vector<std::size_t>{4, 4}));
  run.warmup = 2;
  EXPECT_EQ(counted(), (std::vector<std::size_t>{3, 2}));
}

TEST(Crowds, know_what_counts_of_a_factor_while_cores_are_short) {
  // Three of one thread on two cores: each other one is beside for half of the time (1 − 0.5) / (1.5 − 0.5).
  TruePipeline truth = chain({2000, 2000, 2000}, 2, 20);
  const PipelineRun run = run_truth(truth);
  const auto crowds = crowds_of(run, {.interference = {}, .device_curve = {}, .core_share = {0.5, 0.5, 0.5}}, 100);
  bool seen = false;
  for (const Crowd& crowd : crowds[0].crowds) {
    if (crowd.others != std::vector<int>{0, 1, 1}) continue;
    seen = true;
    EXPECT_NEAR(crowd.counts[1], 0.5, 1e-9);
    EXPECT_NEAR(crowd.known_slowdown, 1.5, 1e-9);
  }
  EXPECT_TRUE(seen);
}

TEST(ContentionPosterior, of_what_is_known_are_all_the_same) {
  TruePipeline truth = law_pair();
  truth.law_in_record = true;
  const ContentionPosterior laws = possible(truth);
  ASSERT_EQ(laws.laws.size(), 60u);
  for (const ContentionLaw& law : laws.laws) EXPECT_EQ(law.interference, truth.contention.interference);
  EXPECT_EQ(laws.factors[0][1].low, 1);
  EXPECT_EQ(laws.factors[0][1].high, 1);
}

// Always beside each other, at the same speed: 7.5 ms may be 7.5 alone, or 5 and slowed down.
TEST(ContentionPosterior, of_lock_step_are_many) {
  const ContentionPosterior laws = possible(law_pair());
  EXPECT_LT(laws.factors[0][1].low, 1.15);
  EXPECT_GT(laws.factors[0][1].high, 1.6);
  EXPECT_GT(laws.factors[0][0].high, 1.6) << "never seen";
  EXPECT_FALSE(laws.factors[0][1].shown);
}

TEST(ContentionPosterior, are_few_where_stages_overlap_now_more_and_now_less) {
  for (const double sigma : {0.0, 0.1}) {
    TruePipeline truth = now_and_then(law_pair(), 12000);
    truth.sigma = sigma;
    const ContentionPosterior laws = possible(truth);
    for (const PossibleFactor& factor : {laws.factors[0][1], laws.factors[1][0]}) {
      EXPECT_GT(factor.low, 1.3) << sigma;
      EXPECT_LT(factor.high, 1.7) << sigma;
      EXPECT_GT(factor.high - factor.low, 0) << sigma;
    }
  }
}

TEST(ContentionPosterior, hardly_slow_down_where_overlaps_show_that_nothing_does) {
  TruePipeline truth = now_and_then(law_pair(), 12000);
  truth.contention = {};
  truth.sigma = 0.05;
  const ContentionPosterior laws = possible(truth);
  EXPECT_LT(laws.factors[0][1].high, 1.1);
  EXPECT_LT(laws.factors[1][0].high, 1.1);
}

// Something else held up every 20th execution for three times its time: what it overlapped meanwhile is no evidence.
TEST(ContentionPosterior, do_not_follow_a_few_delays) {
  TruePipeline truth = now_and_then(law_pair(), 12000);
  truth.sigma = 0.05;
  truth.delayed_every = 20;
  const ContentionPosterior laws = possible(truth);
  EXPECT_GT(laws.factors[1][0].low, 1.3);
  EXPECT_LT(laws.factors[1][0].high, 1.7);
}

TEST(ContentionPosterior, are_the_same_for_the_same_seed) {
  const PipelineRun run = run_truth(law_pair(40));
  const KnownPairs known(2, std::vector<bool>(2, false));
  const auto factors = [&](std::uint64_t seed) {
    return contention_posterior(run, {}, known, 10, seed).laws[7].interference;
  };
  EXPECT_EQ(factors(3), factors(3));
  EXPECT_NE(factors(3), factors(4));
}

// As they are drawn: whatever changes them changes the range of every answer of `takt pipeline whatif`.
TEST(ContentionPosterior, of_a_noisy_record_are_these) {
  TruePipeline truth = now_and_then(law_pair(), 12000);
  truth.sigma = 0.1;
  const ContentionPosterior laws = possible(truth);
  EXPECT_NEAR(laws.factors[0][1].low, 1.478970, 1e-3);
  EXPECT_NEAR(laws.factors[0][1].high, 1.553129, 1e-3);
  EXPECT_NEAR(laws.factors[1][0].low, 1.474427, 1e-3);
  EXPECT_NEAR(laws.factors[1][0].high, 1.549657, 1e-3);
}

TEST(ContentionPosterior, of_nothing_that_ran_are_what_is_expected) {
  const ContentionPosterior laws = possible(law_pair(0));
  ASSERT_EQ(laws.laws.size(), 60u);
  EXPECT_GT(laws.factors[0][1].high, 1.6);
}

// Of what was never seen a factor is drawn as it is expected before: alike from 1 to 1.8, with a chance of 8 in 9, and
// above it e times rarer every 0.1. So the quantiles are 1 + 0.9 q, and of 0.95 it is 1.8 + 0.1 · ln((1 / 9) / 0.05).
TEST(ContentionPosterior, of_what_was_never_seen_are_alike_up_to_1_8_and_rarer_above) {
  const PipelineRun run = run_truth(law_pair(0));
  const ContentionPosterior laws = contention_posterior(run, {}, KnownPairs(2, {false, true}), 20'000);
  const PossibleFactor& open = laws.factors[0][0];
  EXPECT_NEAR(open.low, 1.045, 0.01);
  EXPECT_NEAR(open.median, 1.45, 0.015);
  EXPECT_NEAR(open.high, 1.8799, 0.01);
  EXPECT_FALSE(open.shown);
  std::size_t above = 0, far_above = 0;
  for (const ContentionLaw& law : laws.laws) {
    above += law.interference[1][0] > 1.8;
    far_above += law.interference[1][0] > 2;
    EXPECT_EQ(law.interference[0][1], 1) << "known";
  }
  EXPECT_NEAR(static_cast<double>(above) / 20'000, 1 / 9.0, 0.01);
  EXPECT_NEAR(static_cast<double>(far_above) / 20'000, std::exp(-2.0) / 9, 0.004);
  EXPECT_EQ(laws.factors[0][1].low + laws.factors[0][1].median + laws.factors[0][1].high, 3);
}

/// By law: what counts of the weaker factors of the first of three stages, whose row of the matrix this is. Both others
/// run beside it at once.
std::vector<double> weaker_shares(const std::vector<double>& row, std::int64_t batches) {
  const PipelineRun run = run_truth(chain({5000, 5000, 5000}, 2, batches));
  ContentionLaw certain;
  certain.interference = {row, {1, 1, 1}, {1, 1, 1}};
  certain.several.resize(3);
  certain.several[0].emplace();
  std::vector<double> shares;
  for (const ContentionLaw& law : contention_posterior(run, certain, KnownPairs(3, {true, true, true}), 20, 1).laws) {
    EXPECT_EQ(law.interference[0], row) << "known";
    EXPECT_EQ(law.several[1].has_value(), false);
    shares.push_back(*law.several[0]->weaker_share);
  }
  return shares;
}

TEST(PossibleLaws, of_several_at_once_follow_from_the_record_where_two_of_them_do_anything) {
  const auto unseen = weaker_shares({1, 1.5, 1.5}, 0);
  EXPECT_EQ(weaker_shares({1, 1, 1}, 20), unseen) << "what does nothing alone says nothing beside others";
  EXPECT_EQ(weaker_shares({1, 1, 1.5}, 20), unseen) << "one alone";
  EXPECT_NE(weaker_shares({1, 1.5, 1.5}, 20), unseen);
}

TEST(ShortestRange, holds_nine_of_ten_and_the_prediction) {
  std::vector<double> values;
  for (int i = 0; i < 99; ++i) values.push_back(i);
  values.push_back(1000);  // alone far away: left out
  const auto middle = shortest_range(values, 50);
  EXPECT_GE(middle.low, 0);
  EXPECT_LE(middle.high, 98);
  EXPECT_EQ(middle.high - middle.low, 90);  // 91 of 100, as 91 = 0.9 · 101 rounded up
  const auto outside = shortest_range(values, -20);
  EXPECT_EQ(outside.low, -20);
  EXPECT_EQ(outside.high, 90);
  EXPECT_EQ(shortest_range({}, 3).low, 3);
  EXPECT_EQ(shortest_range({5}, 3).high, 5);
}

}  // namespace
}  // namespace takt
