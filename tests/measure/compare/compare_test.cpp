// Does `compare` find what was planted, and nothing in noise? Profiles are made here: no runtime, no clock, fixed
// seeds.
#include "measure/compare/compare.h"

#include <gmock/gmock.h>

#include "base/basics/text.h"
#include "measure/compare/report.h"
#include "places.h"
#include "simulated_runs.h"

namespace takt {
namespace {

using testing::HasSubstr;

/// Pairs of the same thing that report any change.
int false_alarms(const Machine& machine, int pairs, int runs = 1) {
  int alarms = 0;
  for (int i = 0; i < pairs; ++i) {
    const auto seed = static_cast<std::uint64_t>(1000 + 2 * runs * i);
    const auto before = runs_on(machine, runs, seed), after = runs_on(machine, runs, seed + runs);
    alarms += any_change(compare_profiles(before, after, {}, false));
  }
  return alarms;
}

TEST(Compare, finds_nothing_in_independent_noise) {
  if (is_sanitized()) GTEST_SKIP() << only_more_cases;
  for (const bool virtual_clock : {false, true}) {
    EXPECT_LE(false_alarms({.virtual_clock = virtual_clock}, 60), 1);
    EXPECT_LE(false_alarms({.sigma = 0.3, .virtual_clock = virtual_clock}, 60), 2);
    EXPECT_LE(false_alarms({.samples = 10, .virtual_clock = virtual_clock}, 60), 1)
        << "few samples make wide intervals, not alarms";
    EXPECT_LE(false_alarms({.ops = 1, .virtual_clock = virtual_clock}, 60), 1);
  }
}

TEST(Compare, finds_nothing_in_drift_and_in_what_a_new_start_brings) {
  for (const int runs : {1, 2, 3}) {
    EXPECT_LE(false_alarms({.drift_sigma = 0.1}, 40, runs), 2) << runs;
    EXPECT_LE(false_alarms({.start_sigma = 0.01}, 40, runs), 2) << runs;
    EXPECT_LE(false_alarms({.start_sigma = 0.01, .drift_sigma = 0.3}, 40, runs), 2) << runs;
    EXPECT_LE(false_alarms({.correlation = 0.9}, 40, runs), 2) << runs;
  }
}

TEST(Compare, finds_nothing_on_a_loaded_machine) {
  if (is_sanitized()) GTEST_SKIP() << only_more_cases;
  for (const int runs : {1, 3})
    for (const int ops : {8, 30}) EXPECT_LE(false_alarms(loaded_machine(ops), 40, runs), 2) << runs << " " << ops;
}

TEST(Compare, a_burst_of_load_on_one_side_is_no_change_and_hides_none) {
  const Machine quiet{.samples = 200};
  Machine disturbed = quiet;
  disturbed.burst = 0.4;
  int alarms = 0, doubled = 0;
  for (std::uint64_t i = 0; i < 30; ++i) {
    const RecordedProfile before = run_on(disturbed, 2 * i);
    alarms += any_change(compare(before, run_on(quiet, 2 * i + 1)));
    doubled += compare(before, run_on(quiet, 2 * i + 1, {.all = 2})).whole.verdict == Verdict::slower;
  }
  EXPECT_LE(alarms, 1);
  EXPECT_EQ(doubled, 30);
}

TEST(Compare, what_is_doubled_is_never_the_same_however_loaded_the_machine) {
  for (const int runs : {1, 3}) {
    int named = 0;
    for (std::uint64_t i = 0; i < 40; ++i) {
      const auto before = runs_on(loaded_machine(8), runs, 20 * i);
      const auto after = runs_on(loaded_machine(8), runs, 20 * i + 10, {.all = 2});
      const Comparison comparison = compare_profiles(before, after, {}, false);
      EXPECT_NE(comparison.whole.verdict, Verdict::same) << i;
      EXPECT_NE(outcome(comparison.whole, Gate{0.03, false}, true), Outcome::passed) << i;
      named += comparison.whole.verdict == Verdict::slower;
    }
    EXPECT_GE(named, 38) << runs;
  }
}

TEST(Compare, five_runs_find_a_tenth_in_one_of_eight_operators) {
  const Machine machine{
      .sigma = 0.05, .correlation = 0.5, .start_sigma = 0.007, .preempted = 0.3, .ops = 8, .samples = 200};
  int found = 0, others = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const auto before = runs_on(machine, 5, 20 * i), after = runs_on(machine, 5, 20 * i + 10, {.one = 1.1});
    const Comparison comparison = compare_profiles(before, after, {}, false);
    found += comparison.ops[7].verdict == Verdict::slower;
    for (std::size_t op = 0; op < 7; ++op) others += is_change(comparison.ops[op]);
  }
  EXPECT_GE(found, 38);
  EXPECT_LE(others, 1);
}

TEST(Compare, finds_a_planted_slow_down_and_no_other_where_noise_is_all_that_differs) {
  const Machine simulated{.virtual_clock = true};
  int found = 0, others = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Comparison comparison = compare(run_on(simulated, 2 * i), run_on(simulated, 2 * i + 1, {.one = 1.05}));
    found += comparison.ops[7].verdict == Verdict::slower;
    for (std::size_t op = 0; op < comparison.ops.size(); ++op) others += op != 7 && is_change(comparison.ops[op]);
  }
  EXPECT_GE(found, 49);
  EXPECT_LE(others, 1);
}

TEST(Compare, an_operator_must_stand_out_from_what_another_state_of_the_machine_does_to_the_others) {
  const Machine other_state{.sigma = 0.005, .start_sigma = 0.1};
  int doubled = 0, thirtyfold = 0;
  for (std::uint64_t i = 0; i < 30; ++i) {
    const RecordedProfile before = run_on(other_state, 2 * i);
    doubled += compare(before, run_on(other_state, 2 * i + 1, {.one = 2.2})).ops[7].verdict == Verdict::slower;
    thirtyfold += compare(before, run_on(other_state, 2 * i + 1, {.one = 30})).ops[7].verdict == Verdict::slower;
  }
  EXPECT_LE(doubled, 3) << "a few times the scatter happens by itself";
  EXPECT_GE(thirtyfold, 29);
}

TEST(Compare, a_faster_operator_is_faster_by_the_right_amount) {
  const Machine simulated{.virtual_clock = true};
  const Comparison comparison = compare(run_on(simulated, 1), run_on(simulated, 2, {.one = 0.8}));
  const Change& op = comparison.ops[7];
  EXPECT_EQ(op.verdict, Verdict::faster);
  EXPECT_NEAR(*op.ratio, -0.2, 0.02);
  EXPECT_LT(*op.low, -0.2);
  EXPECT_GT(*op.high, -0.2);
}

TEST(Compare, when_everything_is_slower_so_is_the_whole_run_and_each_operator) {
  const Machine simulated{.virtual_clock = true};
  const Comparison comparison = compare(run_on(simulated, 1), run_on(simulated, 2, {.all = 1.3}));
  EXPECT_EQ(comparison.whole.verdict, Verdict::slower);
  EXPECT_NEAR(*comparison.whole.ratio, 0.3, 0.02);
  for (const Change& op : comparison.ops) EXPECT_EQ(op.verdict, Verdict::slower) << op.name;
}

TEST(Compare, more_runs_tell_smaller_changes) {
  const Machine machine{.sigma = 0.01, .start_sigma = 0.01};
  std::vector<double> detectable;
  for (const int runs : {1, 3, 5, 10}) {
    double sum = 0;
    for (std::uint64_t i = 0; i < 10; ++i)
      sum += *compare_profiles(runs_on(machine, runs, 40 * i), runs_on(machine, runs, 40 * i + 20), {}, false)
                  .detectable_op;
    detectable.push_back(sum);
  }
  EXPECT_TRUE(std::is_sorted(detectable.rbegin(), detectable.rend()));
}

TEST(Compare, waiting_for_processors_widens_nothing_where_both_sides_waited) {
  RecordedProfile before = run_on({}, 1), after = run_on({}, 2, {.all = 1.3});
  const Comparison undisturbed = compare(before, after);
  before.waiting_share = after.waiting_share = 0.25;
  const Comparison comparison = compare(before, after);
  EXPECT_EQ(comparison.whole.verdict, Verdict::slower);
  EXPECT_EQ(comparison.whole.low, undisturbed.whole.low);
  ASSERT_EQ(comparison.notes.size(), 1u);
  EXPECT_THAT(comparison.notes[0], HasSubstr("they waited for 25 % before and 25 % after"));
}

TEST(Compare, one_run_that_waited_longer_than_the_other_is_no_change_as_far_as_that_explains) {
  const RecordedProfile before = run_on({}, 1);
  RecordedProfile slower = run_on({}, 2, {.all = 1.3}), doubled = run_on({}, 2, {.all = 2});
  slower.waiting_share = doubled.waiting_share = 0.25;
  EXPECT_EQ(compare(before, slower).whole.verdict, Verdict::inconclusive);
  EXPECT_EQ(compare(before, doubled).whole.verdict, Verdict::slower);
  EXPECT_EQ(compare(slower, before).whole.verdict, Verdict::same) << "it cannot hide a slow-down";
  std::vector<RecordedProfile> after = runs_on({}, 3, 10, {.all = 1.3});
  for (RecordedProfile& profile : after) profile.waiting_share = 0.25;
  EXPECT_EQ(compare_profiles(runs_on({}, 3, 20), after, {}, false).whole.verdict, Verdict::slower)
      << "runs show by themselves what reached them";
}

TEST(Compare, what_cannot_be_told_is_inconclusive) {
  const Machine unsteady{.sigma = 0.3, .correlation = 0.95};
  const Comparison comparison = compare(run_on(unsteady, 1), run_on(unsteady, 2));
  EXPECT_EQ(comparison.whole.verdict, Verdict::inconclusive);
  EXPECT_GT(*comparison.whole.high, 0.1);
  EXPECT_THAT(to_text(comparison, false), HasSubstr("inconclusive, the whole run may be up to"));
  CompareSettings patient;
  patient.limit = 1 + *comparison.whole.high;
  EXPECT_EQ(compare(run_on(unsteady, 1), run_on(unsteady, 2), patient).whole.verdict, Verdict::same)
      << "it depends on what matters";
}

TEST(Compare, operators_without_a_partner_are_listed_and_not_compared) {
  RecordedProfile before = run_on({}, 1), after = run_on({}, 2);
  after.ops[3].name = "new";
  after.ops[4].fused = {"op4", "relu"};
  const Comparison comparison = compare(before, after);
  EXPECT_EQ(comparison.ops[3].verdict, Verdict::removed);
  EXPECT_FALSE(comparison.ops[3].after);
  EXPECT_EQ(comparison.ops[4].verdict, Verdict::regrouped);
  EXPECT_FALSE(comparison.ops[4].ratio);
  EXPECT_EQ(comparison.ops.back().name, "new");
  EXPECT_EQ(comparison.ops.back().verdict, Verdict::added);
}

TEST(Compare, kernels_that_stand_for_the_same_operators_together_are_compared_together) {
  const Machine simulated{.virtual_clock = true};
  RecordedProfile before = run_on(simulated, 1), after = run_on(simulated, 2);
  // Before, two kernels; after, one that does the work of both in three quarters of the time.
  before.ops[3].fused = {"op3"}, before.ops[4].fused = {"op4"};
  after.ops[3].fused = {"op3", "op4"};
  for (std::size_t run = 0; run < after.ops[3].samples.size(); ++run)
    after.ops[3].samples[run] = (after.ops[3].samples[run] + after.ops[4].samples[run]) * 3 / 4;
  after.ops.erase(after.ops.begin() + 4);
  for (const bool swapped : {false, true}) {
    const Comparison comparison = swapped ? compare(after, before) : compare(before, after);
    ASSERT_EQ(comparison.ops.size(), 29u);
    EXPECT_EQ(comparison.ops[3].name, "op3 + 1 more");
    EXPECT_EQ(comparison.ops[3].verdict, swapped ? Verdict::slower : Verdict::faster);
    EXPECT_NEAR(*comparison.ops[3].ratio, swapped ? 0.33 : -0.25, 0.03);
  }
}

TEST(Compare, the_runtimes_own_nodes_are_matched_by_what_they_read_and_write) {
  const Machine simulated{.virtual_clock = true};
  RecordedProfile before = run_on(simulated, 1), after = run_on(simulated, 2, {.one = 1.5});
  before.ops[3].tensors = {"a", "b"}, before.ops[7].tensors = {"c", "d"};
  after.ops[3].tensors = {"a", "b"}, after.ops[7].tensors = {"c", "d"};
  std::swap(after.ops[3].name, after.ops[7].name);
  const Comparison comparison = compare(before, after);
  ASSERT_EQ(comparison.ops.size(), before.ops.size());
  EXPECT_EQ(comparison.ops[3].verdict, Verdict::same);
  EXPECT_EQ(comparison.ops[7].verdict, Verdict::slower);
}

TEST(Compare, equal_names_are_matched_in_order) {
  RecordedProfile before = run_on({}, 1), after = run_on({}, 2, {.one = 1.8});
  for (RecordedProfile* profile : {&before, &after})
    for (RecordedOp& op : profile->ops) op.name = "same name";
  const Comparison comparison = compare(before, after);
  ASSERT_EQ(comparison.ops.size(), before.ops.size());
  EXPECT_EQ(comparison.ops[7].verdict, Verdict::slower);
}

TEST(Compare, too_few_samples_are_unknown) {
  const Comparison comparison = compare(run_on({.samples = 4}, 1), run_on({.samples = 4}, 2, {.all = 2}));
  EXPECT_EQ(comparison.whole.verdict, Verdict::unknown);
  EXPECT_EQ(comparison.ops[7].verdict, Verdict::unknown);
  EXPECT_THAT(to_text(comparison, true), HasSubstr("fewer than 5 samples"));
}

TEST(Compare, exact_times_differ_exactly) {
  const Machine exact{.sigma = 0, .virtual_clock = true};
  const RecordedProfile before = run_on(exact, 1);
  EXPECT_FALSE(any_change(compare(before, run_on(exact, 2))));
  EXPECT_EQ(compare(before, run_on(exact, 2, {.one = 1.03})).ops[7].verdict, Verdict::slower);
  EXPECT_EQ(compare(before, run_on(exact, 2, {.one = 1.01})).ops[7].verdict, Verdict::same) << "below the threshold";
}

/// Rows as a busy machine makes them, with names as PyTorch's exporter writes them.
Comparison noisy_comparison() {
  Comparison c;
  c.before = "before.json", c.after = "after.json";
  c.whole = {"[whole run]", "", Duration(668080), Duration(721300), 0.08, -0.54, 0.8657, 1, Verdict::inconclusive};
  for (int layer = 0; layer < 3; ++layer) {
    const std::string path = "/bert/encoder/layer." + std::to_string(layer);
    c.ops.push_back({path + "/attention/output/dense/MatMul", "SkipLayerNormalization", Duration(12), Duration(480), 39,
                     -0.999, 3.18e14, 0.3, Verdict::inconclusive});
  }
  return c;
}

TEST(CompareText, a_noisy_operator_changes_nothing_of_how_the_whole_run_reads) {
  const std::string text = to_text(noisy_comparison(), true, 80);
  EXPECT_THAT(text, testing::ContainsRegex("\n\\[whole run\\] .* 8 +-54.0 +86.6  inconclusive\n")) << text;
  EXPECT_THAT(text, HasSubstr("  > 1000  inconclusive\n"));
  for (const char* unit : {" k ", " M ", " G ", " T ", " P ", "3.18", "31800"})
    EXPECT_THAT(text, testing::Not(HasSubstr(unit))) << unit;
}

TEST(CompareText, the_whole_run_and_verdicts_are_never_cut_and_lines_keep_to_the_width) {
  for (const std::size_t width : {40, 60, 72, 80, 100, 200}) {
    const std::string text = to_text(noisy_comparison(), true, width);
    EXPECT_THAT(text, HasSubstr("\n[whole run] ")) << width << "\n" << text;
    std::size_t verdicts = 0;
    for (std::size_t at = 0; (at = text.find("  inconclusive\n", at)) != text.npos; ++at) ++verdicts;
    EXPECT_EQ(verdicts, 4u) << width << "\n" << text;
    if (width < 80) continue;  // the numbers alone are wider
    for (const std::string& line : split(text, '\n')) EXPECT_LE(display_width(line), width) << line;
  }
}

}  // namespace
}  // namespace takt
