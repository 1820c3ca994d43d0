// What ranks do to each other, on diagnoses made by hand: who is blamed, on which border, in which words.
#include "training/diagnosis/straggler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "training/diagnosis/rank_work.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using StepWork = std::vector<std::vector<std::int64_t>>;  // by step and rank, ns

/// Ranks 10, 11, … whose work is of one part of the breakdown; each waits for the slowest and sends for 100 ns.
std::vector<Diagnosis> ranks(const StepWork& work, StepPart part = StepPart::kernel) {
  std::vector<Diagnosis> all(work[0].size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    Diagnosis& one = all[rank];
    one.rank = static_cast<std::int64_t>(rank) + 10;
    one.steps.source = StepSource::marks;
    std::int64_t now = 0;
    for (std::size_t step = 0; step < work.size(); ++step) {
      const std::int64_t length = *std::max_element(work[step].begin(), work[step].end()) + 100;
      const TimeInterval span{now, now += length};
      one.steps.list.push_back({static_cast<std::int64_t>(step), span, span});
      auto& parts = one.breakdown.by_step.emplace_back();
      parts[static_cast<std::size_t>(StepPart::communication)] = length - work[step][rank];
      if (part != StepPart::communication) parts[static_cast<std::size_t>(part)] = work[step][rank];
      one.breakdown.total += length;
    }
  }
  return all;
}

std::vector<Diagnosis> judged(std::vector<Diagnosis> all, std::vector<std::optional<std::int64_t>> world = {}) {
  world.resize(all.size());
  look_for_stragglers(all, world);
  return all;
}

std::string last_evidence(const Diagnosis& one) {
  return one.verdicts.empty() ? "" : one.verdicts.back().verdict.evidence;
}

TEST(Stragglers, are_named_with_what_they_do_longer_and_those_who_wait) {
  const auto all = judged(ranks(StepWork(4, {1000, 1000, 1300, 1000})));
  const TrainingVerdict& slow = all[2].verdicts.at(0).verdict;
  EXPECT_EQ(slow.cause, TrainingCause::straggler);
  EXPECT_THAT(slow.cost, ElementsAre(300, 300, 300, 300));
  EXPECT_EQ(slow.evidence,
            "rank 12 works 1.30 µs per step, the other 3 ranks 1.00 µs: they wait for it; most of the difference is "
            "kernel");
  EXPECT_THAT(slow.fix, HasSubstr("check the clock and the temperature of that device."));
  EXPECT_FALSE(slow.is_elsewhere);
  const TrainingVerdict& waits = all[3].verdicts.at(0).verdict;
  EXPECT_EQ(waits.evidence, "this rank waits 300 ns per step for rank 12");
  EXPECT_EQ(waits.fix, "Nothing to fix here; see rank 12.");
  EXPECT_THAT(waits.cost, ElementsAre(300, 300, 300, 300));
  EXPECT_TRUE(waits.is_elsewhere);
  EXPECT_EQ(last_evidence(judged(ranks(StepWork(4, {1300, 1000, 1300, 1000, 1000})))[0]),
            "ranks 10, 12 work 1.30 µs per step, the other 3 ranks 1.00 µs: they wait for them; most of the difference "
            "is kernel; fixing one of them alone gains little");
}

TEST(Stragglers, are_waited_for_from_a_twentieth_of_the_time_on) {
  EXPECT_EQ(last_evidence(judged(ranks(StepWork(4, {1230, 1230, 1230, 1300})))[0]),
            "this rank waits 70.0 ns per step for rank 13");
  const auto all = judged(ranks(StepWork(4, {1231, 1231, 1231, 1300})));
  EXPECT_TRUE(all[0].verdicts.empty());
  EXPECT_EQ(all[3].verdicts.size(), 1u);
}

TEST(Stragglers, have_most_of_the_gain_or_are_none) {
  // Without the slowest rank 70 % of 100 ns are gained, or a little less; then both are slow.
  EXPECT_THAT(last_evidence(judged(ranks(StepWork(4, {1000, 1000, 1000, 1030, 1100})))[4]), HasSubstr("rank 14 works"));
  EXPECT_THAT(last_evidence(judged(ranks(StepWork(4, {1000, 1000, 1000, 1031, 1100})))[4]),
              HasSubstr("ranks 13-14 work"));
}

TEST(Stragglers, are_told_where_to_look_by_the_part_that_differs) {
  struct Case {
    StepPart part;
    std::string evidence, fix;
  };
  for (const auto& [part, evidence, fix] :
       {Case{StepPart::data_wait, "; most of the difference is data_wait", "check the input of that host."},
        Case{StepPart::idle, "; most of the difference is the program's own code",
             "check that host: pauses of the program (garbage collection), other processes."},
        Case{StepPart::launch, "; most of the difference is launch",
             "check that host: pauses of the program (garbage collection), other processes."},
        Case{StepPart::communication, "", "check that host: its clock, its other processes, its input."}}) {
    const auto all = judged(ranks(StepWork(4, {1000, 1300, 1000}), part));
    EXPECT_EQ(last_evidence(all[1]),
              "rank 11 works 1.30 µs per step, the other 2 ranks 1.00 µs: they wait for it" + evidence);
    EXPECT_EQ(all[1].verdicts.back().verdict.fix,
              "Give each rank the same work (shards, sequence lengths), and " + fix);
  }
}

TEST(Stragglers, that_change_from_step_to_step_are_uneven_work) {
  const StepWork turns{{1600, 1000, 1000}, {1000, 1600, 1000}, {1000, 1000, 1600}};
  const auto all = judged(ranks(turns));
  for (const Diagnosis& one : all) {
    const TrainingVerdict& verdict = one.verdicts.at(0).verdict;
    EXPECT_EQ(verdict.cause, TrainingCause::uneven_ranks);
    EXPECT_THAT(verdict.cost, ElementsAre(400, 400, 400));
    EXPECT_EQ(
        verdict.evidence,
        "another rank is the slowest from step to step (3 of 3 in turn); the slowest one works 400 ns longer than "
        "the mean of all; most of the difference is kernel");
    EXPECT_THAT(verdict.fix, testing::EndsWith("and balance shards."));
  }
  EXPECT_THAT(judged(ranks(turns, StepPart::data_wait))[0].verdicts.at(0).verdict.fix,
              testing::EndsWith("and balance shards; check the input of that host."));
}

/// Two stages that receive for so long; the second one's first receive begins when the other is done.
std::vector<Diagnosis> stages(std::int64_t first_work, std::int64_t waited) {
  auto all = ranks(StepWork(4, {first_work, 1000}));
  for (auto& parts : all[1].breakdown.by_step) parts[static_cast<std::size_t>(StepPart::communication)] = 100 + waited;
  for (std::size_t step = 0; step < 4; ++step) {
    all[1].steps.list[step].span.end += waited - (first_work - 1000);
    all[0].collectives.push_back({{100, true}});
    all[1].collectives.push_back({{100 + waited, true}});
  }
  return judged(std::move(all));
}

TEST(Stragglers, of_a_pipeline_are_apart_from_its_bubble) {
  const auto even = stages(1000, 300);
  EXPECT_TRUE(even[0].verdicts.empty());
  EXPECT_EQ(last_evidence(even[1]), "as a stage of a pipeline this rank waits 300 ns per step for the other stages");
  EXPECT_THAT(even[1].verdicts.at(0).verdict.cost, ElementsAre(300, 300, 300, 300));
  const auto uneven = stages(1200, 300);
  ASSERT_EQ(uneven[1].verdicts.size(), 2u);
  EXPECT_EQ(uneven[1].verdicts[0].verdict.evidence,
            "as a stage of a pipeline this rank waits 100 ns per step for the other stages");
  EXPECT_EQ(uneven[1].verdicts[1].verdict.cause, TrainingCause::straggler);
  EXPECT_TRUE(stages(1000, 54)[1].verdicts.empty()) << "less than a twentieth of 1100";
  EXPECT_FALSE(stages(1000, 55)[1].verdicts.empty());
}

/// A rank that waits for 300 of 1400 ns, and whose communication costs so much before: what is left of it.
std::vector<PlacedVerdict> left_of_communication(std::int64_t cost) {
  auto all = ranks(StepWork(4, {1000, 1300, 1000}));
  all[0].verdicts.push_back({{TrainingCause::exposed_communication, {cost, cost, cost, cost}, "sends", "fix"}, {}, {}});
  return judged(std::move(all))[0].verdicts;
}

TEST(Stragglers, are_no_fault_of_the_network) {
  const auto left = left_of_communication(400);
  ASSERT_EQ(left.size(), 2u);
  EXPECT_THAT(left[0].verdict.cost, ElementsAre(100, 100, 100, 100));
  EXPECT_EQ(left[0].verdict.evidence,
            "communication between ranks takes 100 ns per step while nothing is computed, without the time in which "
            "this rank waits for others");
  EXPECT_EQ(left_of_communication(370).size(), 2u) << "a twentieth is left";
  EXPECT_EQ(left_of_communication(369).size(), 1u);
  EXPECT_EQ(left_of_communication(200).size(), 1u);
  auto alike = ranks(StepWork(4, {1000, 1000}));
  alike[0].verdicts.push_back({{TrainingCause::exposed_communication, {90, 90, 90, 90}, "sends", "fix"}, {}, {}});
  EXPECT_EQ(last_evidence(judged(alike)[0]), "sends") << "nobody waits";
}

TEST(Stragglers, cannot_be_told_without_the_other_ranks) {
  const auto missing = [](std::size_t count, std::vector<std::optional<std::int64_t>> world) {
    auto all = ranks(StepWork(4, std::vector<std::int64_t>(count, 1000)));
    for (Diagnosis& one : all) one.rank = *one.rank - 10 + 2;  // 2, 3, …
    std::vector<std::string> texts;
    for (const Diagnosis& one : judged(std::move(all), std::move(world)))
      for (const Abstention& each : one.abstentions) texts.push_back(each.missing);
    return texts;
  };
  EXPECT_THAT(missing(2, {4, {}}), ElementsAre("the traces of ranks 0-1", "the traces of ranks 0-1"));
  EXPECT_THAT(missing(2, {{}, 5}), ElementsAre("the traces of ranks 0-1, 4", "the traces of ranks 0-1, 4"));
  EXPECT_THAT(missing(1, {2}), ElementsAre("traces of the other ranks"));
  EXPECT_THAT(missing(1, {{}}), ElementsAre("traces of the other ranks")) << "it communicates";
  auto alone = ranks({{1000}});
  alone[0].breakdown.by_step[0].fill(0);
  EXPECT_TRUE(judged(alone, {1})[0].abstentions.empty());
  EXPECT_EQ(judged(alone, {2})[0].abstentions.size(), 1u);
}

TEST(RankWork, has_the_steps_that_all_ranks_have_and_each_rank_once) {
  auto all = ranks({{100, 200}, {300, 400}, {500, 600}});
  for (TrainingStep& step : all[1].steps.list) ++step.number;  // its first step is the other's second
  all.push_back(all[0]);
  const RankWork work = rank_work(all);
  EXPECT_THAT(work.diagnoses, ElementsAre(0u, 1u));
  ASSERT_EQ(work.steps.size(), 2u);
  EXPECT_EQ(work.steps[0][0].position, 1u);
  EXPECT_EQ(work.steps[0][1].position, 0u);
  EXPECT_EQ(work.steps[1][0].work, 500);
  EXPECT_EQ(work.mean_work(0), 400);
  EXPECT_EQ(work.mean_work(1), 300);
  EXPECT_EQ(work.usual(1), 400);
  EXPECT_EQ(work.mean(1), 450);
  for (TrainingStep& step : all[1].steps.list) step.number += 100;
  EXPECT_EQ(rank_work(all).steps.size(), 3u) << "no number is the same: by position";
  all[1].steps.list.resize(2);
  EXPECT_EQ(rank_work(all).steps.size(), 2u);
}

TEST(RankWork, has_waits_of_each_collective_or_of_all_where_they_do_not_match) {
  auto all = ranks({{1000, 1000}});
  const auto waits = [&](std::vector<Collective> first, std::vector<Collective> second, std::int64_t exposed = 300) {
    all[0].collectives = {std::move(first)}, all[1].collectives = {std::move(second)};
    constexpr auto part = static_cast<std::size_t>(StepPart::communication);
    all[0].breakdown.by_step[0][part] = exposed, all[1].breakdown.by_step[0][part] = 250;
    const RankWork work = rank_work(all);
    return std::pair(work.steps[0][0].waited, work.steps[0][1].waited);
  };
  EXPECT_EQ(waits({{120, false}, {180, false}}, {{200, false}, {50, false}}), std::pair(130L, 80L));
  EXPECT_EQ(waits({{120, false}, {180, false}}, {{250, false}}), std::pair(50L, 0L)) << "another number of them";
  EXPECT_EQ(waits({}, {}), std::pair(50L, 0L));
  EXPECT_EQ(waits({{120, false}, {180, true}}, {{100, false}, {150, true}, {160, true}}), std::pair(50L, 10L));
  EXPECT_EQ(waits({{900, false}}, {{100, false}}, 300), std::pair(300L, 0L)) << "beside work nothing is waited for";
}

}  // namespace
}  // namespace takt
