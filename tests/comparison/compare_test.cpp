// Does `compare` find what was planted, and nothing in noise? Profiles are made here: no runtime, no clock, fixed
// seeds.
#include "comparison/compare.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "comparison/compare_report.h"
#include "core/error.h"

namespace takt {
namespace {

using testing::HasSubstr;

struct Machine {
  double sigma = 0.03;     ///< of independent noise of a sample, lognormal
  double run_sigma = 0;    ///< of a factor that a whole run and each of its operators has by chance
  double drift_sigma = 0;  ///< of a random walk inside the run, as it stands at its end
  int ops = 30, samples = 100;
};

/// std::normal_distribution differs between standard libraries.
double normal(std::mt19937_64& random) {
  auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0; };
  return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
}

RecordedProfile run_on(const Machine& machine, std::uint64_t seed, double slow_down = 1, double all_slower = 1) {
  std::mt19937_64 random(seed);
  RecordedProfile profile;
  profile.origin = std::to_string(seed) + ".json", profile.model = "m.onnx", profile.runtime = "sim";
  std::vector<double> own, level;
  const double run_level = std::exp(machine.run_sigma * normal(random)) * all_slower;
  for (int op = 0; op < machine.ops; ++op) {
    profile.ops.push_back({"op" + std::to_string(op), "Conv", "", {}, {}});
    own.push_back(50'000.0 * (1 + op % 5) * run_level * std::exp(machine.run_sigma * normal(random)) *
                  (op == 7 ? slow_down : 1));
  }
  double walk = 0;
  for (int run = 0; run < machine.samples; ++run) {
    walk += machine.drift_sigma / std::sqrt(machine.samples) * normal(random);
    double whole = 5000;
    for (int op = 0; op < machine.ops; ++op) {
      const double time = own[static_cast<std::size_t>(op)] * std::exp(walk + machine.sigma * normal(random));
      profile.ops[static_cast<std::size_t>(op)].samples.emplace_back(static_cast<std::int64_t>(time));
      whole += time;
    }
    profile.samples.emplace_back(static_cast<std::int64_t>(whole));
  }
  return profile;
}

Comparison compare(const RecordedProfile& before, const RecordedProfile& after) {
  return compare_profiles({&before, 1}, {&after, 1}, {}, false);
}

bool any_change(const Comparison& comparison) {
  for (const Change& op : comparison.ops)
    if (op.verdict != Verdict::same) return true;
  return comparison.whole.verdict != Verdict::same;
}

int false_alarms(const Machine& machine, int pairs) {
  int alarms = 0;
  for (int i = 0; i < pairs; ++i)
    alarms += any_change(compare(run_on(machine, 1000 + 2 * i), run_on(machine, 1001 + 2 * i)));
  return alarms;
}

TEST(Compare, finds_nothing_in_independent_noise) {
  EXPECT_LE(false_alarms({}, 100), 2);
  EXPECT_LE(false_alarms({.sigma = 0.3}, 100), 5);
  EXPECT_LE(false_alarms({.samples = 10}, 100), 2) << "few samples make wide intervals, not alarms";
  EXPECT_LE(false_alarms({.ops = 1}, 100), 2);
}

TEST(Compare, finds_nothing_in_drift_and_in_what_a_new_run_brings) {
  EXPECT_LE(false_alarms({.drift_sigma = 0.1}, 60), 3);
  EXPECT_LE(false_alarms({.run_sigma = 0.01}, 60), 3);
  EXPECT_LE(false_alarms({.run_sigma = 0.01, .drift_sigma = 0.3}, 60), 3);
}

TEST(Compare, finds_a_planted_slow_down_and_no_other) {
  int found = 0, others = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Comparison comparison = compare(run_on({}, 2 * i), run_on({}, 2 * i + 1, 1.05));
    found += comparison.ops[7].verdict == Verdict::slower;
    for (std::size_t op = 0; op < comparison.ops.size(); ++op)
      others += op != 7 && comparison.ops[op].verdict != Verdict::same;
  }
  EXPECT_GE(found, 49);
  EXPECT_LE(others, 1);
}

TEST(Compare, an_operator_must_stand_out_from_what_another_state_of_the_machine_does_to_the_others) {
  const Machine other_state{.sigma = 0.005, .run_sigma = 0.1};
  int doubled = 0, thirtyfold = 0;
  for (std::uint64_t i = 0; i < 30; ++i) {
    const RecordedProfile before = run_on(other_state, 2 * i);
    doubled += compare(before, run_on(other_state, 2 * i + 1, 2.2)).ops[7].verdict == Verdict::slower;
    thirtyfold += compare(before, run_on(other_state, 2 * i + 1, 30)).ops[7].verdict == Verdict::slower;
  }
  EXPECT_LE(doubled, 3) << "a few times the scatter happens by itself";
  EXPECT_GE(thirtyfold, 29);
}

TEST(Compare, a_faster_operator_is_faster_by_the_right_amount) {
  const Comparison comparison = compare(run_on({}, 1), run_on({}, 2, 0.8));
  const Change& op = comparison.ops[7];
  EXPECT_EQ(op.verdict, Verdict::faster);
  EXPECT_NEAR(*op.ratio, -0.2, 0.02);
  EXPECT_LT(*op.low, -0.2);
  EXPECT_GT(*op.high, -0.2);
}

TEST(Compare, when_everything_is_slower_so_is_the_whole_run_and_each_operator) {
  const Comparison comparison = compare(run_on({}, 1), run_on({}, 2, 1, 1.3));
  EXPECT_EQ(comparison.whole.verdict, Verdict::slower);
  EXPECT_NEAR(*comparison.whole.ratio, 0.3, 0.02);
  for (const Change& op : comparison.ops) EXPECT_EQ(op.verdict, Verdict::slower) << op.name;
}

TEST(Compare, several_runs_measure_what_a_new_run_brings) {
  const Machine machine{.sigma = 0.01, .run_sigma = 0.02};
  int alarms = 0, found = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    std::vector<RecordedProfile> before, same, slower;
    for (std::uint64_t run = 0; run < 5; ++run) {
      before.push_back(run_on(machine, 100 * i + run));
      same.push_back(run_on(machine, 100 * i + 10 + run));
      slower.push_back(run_on(machine, 100 * i + 20 + run, 1.3));
    }
    alarms += any_change(compare_profiles(before, same, {}, false));
    found += compare_profiles(before, slower, {}, false).ops[7].verdict == Verdict::slower;
  }
  EXPECT_LE(alarms, 2);
  EXPECT_GE(found, 38);
}

TEST(Compare, a_run_that_waited_for_processors_proves_nothing_about_the_whole) {
  RecordedProfile before = run_on({}, 1), after = run_on({}, 2, 1, 1.3);
  EXPECT_EQ(compare(before, after).whole.verdict, Verdict::slower);
  after.waiting_share = 0.25;
  EXPECT_EQ(compare(before, after).whole.verdict, Verdict::same);
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

TEST(Compare, equal_names_are_matched_in_order) {
  RecordedProfile before = run_on({}, 1), after = run_on({}, 2, 1.5);
  for (RecordedProfile* profile : {&before, &after})
    for (RecordedOp& op : profile->ops) op.name = "same name";
  const Comparison comparison = compare(before, after);
  ASSERT_EQ(comparison.ops.size(), before.ops.size());
  EXPECT_EQ(comparison.ops[7].verdict, Verdict::slower);
}

TEST(Compare, too_few_samples_are_unknown) {
  const Comparison comparison = compare(run_on({.samples = 4}, 1), run_on({.samples = 4}, 2, 2));
  EXPECT_EQ(comparison.whole.verdict, Verdict::unknown);
  EXPECT_EQ(comparison.ops[7].verdict, Verdict::unknown);
  EXPECT_THAT(to_text(comparison, true), HasSubstr("fewer than 5 samples"));
}

TEST(Compare, exact_times_differ_exactly) {
  const Machine exact{.sigma = 0};
  const RecordedProfile before = run_on(exact, 1);
  EXPECT_FALSE(any_change(compare(before, run_on(exact, 2))));
  EXPECT_EQ(compare(before, run_on(exact, 2, 1.03)).ops[7].verdict, Verdict::slower);
  EXPECT_EQ(compare(before, run_on(exact, 2, 1.01)).ops[7].verdict, Verdict::same) << "below the threshold";
}

TEST(Compare, different_models_are_refused_unless_forced) {
  RecordedProfile before = run_on({}, 1), after = run_on({}, 2);
  after.model = "other.onnx";
  try {
    compare(before, after);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the models differ: m.onnx, other.onnx"));
  }
  const Comparison forced = compare_profiles({&before, 1}, {&after, 1}, {}, true);
  ASSERT_FALSE(forced.notes.empty());
  EXPECT_THAT(forced.notes[0], HasSubstr("the models differ"));
}

TEST(CompareGate, trips_only_when_the_interval_is_above_the_limit) {
  const Comparison comparison = compare(run_on({}, 1), run_on({}, 2, 1.2));
  EXPECT_TRUE(tripped(comparison, {0.05, false}).empty()) << "one operator of 30 is less than 1 % of the whole";
  ASSERT_EQ(tripped(comparison, {0.05, true}).size(), 1u);
  EXPECT_THAT(tripped(comparison, {0.05, true})[0], HasSubstr("op7 is"));
  EXPECT_TRUE(tripped(comparison, {0.195, true}).empty()) << "not proved to be above";
}

TEST(CompareJunit, escapes_names_and_counts_outcomes) {
  RecordedProfile before = run_on({}, 1), after = run_on({}, 2, 1.5);
  for (RecordedProfile* profile : {&before, &after}) profile->ops[7].name = "a<b>&\"'\x01\xff";
  after.ops[3].name = "new";
  const Comparison comparison = compare(before, after);
  const std::string xml = to_junit({&comparison, 1}, Gate{0.03, true});
  EXPECT_THAT(xml, HasSubstr("a&lt;b&gt;&amp;&quot;&apos;"));
  EXPECT_THAT(xml, HasSubstr("failures=\"1\" errors=\"0\" skipped=\"2\""));
  EXPECT_EQ(xml.find('\x01'), std::string::npos);
}

}  // namespace
}  // namespace takt
