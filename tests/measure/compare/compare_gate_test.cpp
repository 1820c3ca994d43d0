// What the gate says, and the report that build servers read.
#include <gmock/gmock.h>

#include "measure/compare/report.h"
#include "simulated_runs.h"

namespace takt {
namespace {

using testing::HasSubstr;

Change row(double ratio, double low, double high, double share) {
  Change change;
  change.name = "row", change.before = change.after = Duration(100);
  change.ratio = ratio, change.low = low, change.high = high, change.share = share;
  change.verdict = low > 0 ? Verdict::slower : Verdict::same;
  return change;
}

TEST(CompareGate, passes_below_the_limit_fails_above_it_and_says_when_it_cannot_tell) {
  const Gate gate{0.05, false};
  EXPECT_EQ(outcome(row(0.01, -0.02, 0.04, 1), gate, true), Outcome::passed);
  EXPECT_EQ(outcome(row(0.03, 0.02, 0.04, 1), gate, true), Outcome::passed) << "slower, and within the limit";
  EXPECT_EQ(outcome(row(0.10, 0.06, 0.14, 1), gate, true), Outcome::failed);
  EXPECT_EQ(outcome(row(0.10, 0.04, 0.16, 1), gate, true), Outcome::skipped) << "the limit lies inside";
  EXPECT_EQ(outcome(row(0.00, -0.10, 0.10, 1), gate, true), Outcome::skipped);
  EXPECT_EQ(outcome(Change{}, gate, true), Outcome::skipped) << "too few samples are no pass";
}

TEST(CompareGate, an_operator_is_undecided_only_where_that_could_cost_the_whole_run_more_than_the_limit) {
  const Gate gate{0.05, true};
  EXPECT_EQ(outcome(row(0, -0.5, 2, 0.01), gate, false), Outcome::passed) << "2 % of the run at most";
  EXPECT_EQ(outcome(row(0, -0.5, 2, 0.1), gate, false), Outcome::skipped) << "20 %";
  EXPECT_EQ(outcome(row(0.5, 0.4, 0.6, 0.01), gate, false), Outcome::failed) << "as asked for each operator";
  EXPECT_EQ(outcome(row(0, -0.5, 2, 0.1), Gate{0.05, false}, false), Outcome::passed) << "not looked at";
}

TEST(CompareGate, without_power_it_is_no_silent_pass) {
  const Machine unsteady{.sigma = 0.3, .correlation = 0.95};
  for (const double times : {1.0, 1.5, 2.0}) {
    const Comparison comparison = compare(run_on(unsteady, 1), run_on(unsteady, 2, {.all = times}));
    EXPECT_EQ(tripped(comparison, {0.03, false}).size() + undecided(comparison, {0.03, false}).size(), 1u) << times;
  }
  const Comparison few = compare(run_on({.samples = 3}, 1), run_on({.samples = 3}, 2));
  ASSERT_EQ(undecided(few, {0.03, false}).size(), 1u);
  EXPECT_THAT(undecided(few, {0.03, false})[0], HasSubstr("too few samples to tell"));
}

TEST(CompareGate, one_run_of_the_same_thing_passes_a_tenth_on_a_quiet_machine) {
  int passed = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const Machine quiet{.sigma = 0.02, .correlation = 0.3, .start_sigma = 0.003, .samples = 300};
    const Comparison comparison = compare(run_on(quiet, 2 * i), run_on(quiet, 2 * i + 1));
    passed += tripped(comparison, {0.1, true}).empty() && undecided(comparison, {0.1, true}).empty();
  }
  EXPECT_GE(passed, 38);
}

TEST(CompareGate, trips_only_when_the_interval_is_above_the_limit) {
  const Machine simulated{.virtual_clock = true};
  const Comparison comparison = compare(run_on(simulated, 1), run_on(simulated, 2, {.one = 1.2}));
  EXPECT_TRUE(tripped(comparison, {0.05, false}).empty()) << "one operator of 30 is less than 1 % of the whole";
  ASSERT_EQ(tripped(comparison, {0.05, true}).size(), 1u);
  EXPECT_THAT(tripped(comparison, {0.05, true})[0], HasSubstr("op7 is"));
  EXPECT_TRUE(tripped(comparison, {0.195, true}).empty()) << "not proved to be above";
}

TEST(CompareJunit, escapes_names_and_counts_outcomes) {
  const Machine simulated{.virtual_clock = true};
  RecordedProfile before = run_on(simulated, 1), after = run_on(simulated, 2, {.one = 1.5});
  for (RecordedProfile* profile : {&before, &after}) profile->ops[7].name = "a<b>&\"'\x01\xff";
  after.ops[3].name = "new";
  const Comparison comparison = compare(before, after);
  const std::string xml = to_junit({&comparison, 1}, Gate{0.03, true});
  EXPECT_THAT(xml, HasSubstr("a&lt;b&gt;&amp;&quot;&apos;"));
  EXPECT_THAT(xml, HasSubstr("failures=\"1\" errors=\"0\" skipped=\"2\""));
  EXPECT_EQ(xml.find('\x01'), std::string::npos);
}

TEST(CompareJunit, what_cannot_be_told_is_skipped_with_the_reason) {
  Comparison comparison;
  comparison.whole = row(0.01, -0.2, 0.3, 1);
  EXPECT_THAT(to_junit({&comparison, 1}, Gate{0.05, false}),
              HasSubstr("<skipped message=\"row is 1.0 % slower (-20.0 % to 30.0 %): 5 % cannot be ruled out\"/>"));
  comparison.whole.verdict = Verdict::inconclusive;
  EXPECT_THAT(to_junit({&comparison, 1}, std::nullopt), HasSubstr("<skipped message=\"inconclusive: +1.0 %, from"));
}

}  // namespace
}  // namespace takt
