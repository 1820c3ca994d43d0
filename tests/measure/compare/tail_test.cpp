// The slowest runs: a tail that grew is a change of its own, and noise is none.
#include <gmock/gmock.h>

#include <cmath>

#include "measure/compare/compare.h"
#include "measure/compare/report.h"
#include "measure/compare/statistics.h"
#include "places.h"
#include "simulated_runs.h"

namespace takt {
namespace {

using testing::HasSubstr;
using testing::Not;

// 1 … 100 in any order: 96 … 100 are the slowest, mean 98. They pull by 0 … 4 over 0.05 · 98, in the mean by 10 / 490.
TEST(TailLevel, is_the_mean_of_the_slowest_twentieth) {
  std::vector<Nanoseconds> samples;
  for (int i = 0; i < 100; ++i) samples.emplace_back(1 + i * 7 % 100);
  const RunLevel level = tail_level(samples).value();
  EXPECT_EQ(level.count, 100u);
  EXPECT_DOUBLE_EQ(level.log_time, std::log(98.0));
  EXPECT_EQ(level.depth, 0);
  EXPECT_EQ(level.blocks, 10);
  const double one = 1 / 4.9, mean = 10 * one / 100, squares = 30 * one * one;
  EXPECT_NEAR(level.independent_variance, (squares - 100 * mean * mean) / 99 / 100, 1e-12);
}

TEST(TailLevel, needs_a_hundred_samples_with_a_time) {
  std::vector<Nanoseconds> samples(99, Nanoseconds(7));
  samples.resize(300);
  EXPECT_FALSE(tail_level(samples));
  samples[299] = Nanoseconds(9);
  EXPECT_DOUBLE_EQ(tail_level(samples).value().log_time, std::log((4 * 7 + 9) / 5.0));
}

/// Every 15th run takes `times` as long as the others.
RecordedProfile with_tail(RecordedProfile profile, double times) {
  for (std::size_t i = 14; i < profile.samples.size(); i += 15)
    profile.samples[i] = whole_nanoseconds(times * static_cast<double>(profile.samples[i].count()));
  return profile;
}

std::vector<RecordedProfile> with_tails(int runs, std::uint64_t seed, double times, const Planted& planted = {}) {
  std::vector<RecordedProfile> made = runs_on({.samples = 300}, runs, seed, planted);
  for (RecordedProfile& profile : made) profile = with_tail(std::move(profile), times);
  return made;
}

TEST(Tail, that_grew_while_the_typical_run_did_not_is_a_change_by_its_name) {
  const Comparison one = compare_profiles(with_tails(1, 1, 1), with_tails(1, 2, 4), {}, false);
  EXPECT_EQ(one.whole.verdict, Verdict::same);
  ASSERT_TRUE(one.tail);
  const Comparison found = compare_profiles(with_tails(3, 1, 2), with_tails(3, 4, 4), {}, false);
  ASSERT_TRUE(found.tail);
  EXPECT_EQ(found.whole.verdict, Verdict::same);
  EXPECT_EQ(found.tail->name, "[slowest 5 %]");
  EXPECT_EQ(found.tail->verdict, Verdict::slower);
  EXPECT_NEAR(*found.tail->ratio, 1, 0.1);
  EXPECT_NEAR(*found.tail->after / *found.tail->before, 2, 0.1);
  const std::string text = to_text(found, false);
  EXPECT_THAT(text, HasSubstr("Result: the slowest 5 % of its runs are "));
  EXPECT_THAT(text, HasSubstr("\n[slowest 5 %]"));
  EXPECT_EQ(compare_tables({&found, 1})[0].rows.size(), 2u);
  EXPECT_THAT(to_junit({&found, 1}, std::nullopt), HasSubstr("name=\"[slowest 5 %]\""));
  EXPECT_THAT(to_junit({&found, 1}, std::nullopt), HasSubstr("tests=\"32\" failures=\"1\""));

  const Comparison back = compare_profiles(with_tails(3, 4, 4), with_tails(3, 1, 2), {}, false);
  ASSERT_TRUE(back.tail);
  EXPECT_EQ(back.tail->verdict, Verdict::faster);
}

TEST(Tail, that_did_what_the_typical_run_did_is_no_change_of_its_own) {
  EXPECT_FALSE(compare_profiles(with_tails(3, 1, 3), with_tails(3, 4, 3), {}, false).tail);
  const Comparison slower = compare_profiles(with_tails(3, 1, 3), with_tails(3, 4, 3, {.all = 2}), {}, false);
  EXPECT_EQ(slower.whole.verdict, Verdict::slower);
  EXPECT_FALSE(slower.tail);
  EXPECT_THAT(to_text(slower, false), Not(HasSubstr("slowest 5 %")));
}

TEST(Tail, noise_is_none) {
  if (is_sanitized()) GTEST_SKIP() << only_more_cases;
  for (const int runs : {1, 3})
    for (const Machine& machine : {Machine{.samples = 300}, loaded_machine(8)}) {
      int alarms = 0;
      for (std::uint64_t i = 0; i < 60; ++i)
        alarms +=
            compare_profiles(runs_on(machine, runs, 1000 + 8 * i), runs_on(machine, runs, 1004 + 8 * i), {}, false)
                .tail.has_value();
      EXPECT_LE(alarms, 1) << runs << " runs, preempted " << machine.preempted;
    }
}

TEST(Tail, of_other_processors_gets_no_verdict) {
  auto before = with_tails(1, 1, 1), after = with_tails(1, 2, 4);
  before[0].from.cpu = "one", after[0].from.cpu = "another";
  EXPECT_FALSE(compare_profiles(before, after, {}, false).tail);
}

}  // namespace
}  // namespace takt
