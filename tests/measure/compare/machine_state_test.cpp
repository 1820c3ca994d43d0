// What operators of a run share, worked out by hand, and what comparing beside it finds and does not find.
#include "measure/compare/machine_state.h"

#include <gmock/gmock.h>

#include "simulated_runs.h"

namespace takt {
namespace {

using testing::HasSubstr;

/// Eight operators; each run adds its own speed to all of them.
std::vector<Difference> eight(const std::vector<double>& before, const std::vector<double>& after) {
  std::vector<Difference> ops(8);
  for (std::size_t op = 0; op < ops.size(); ++op) {
    const double own = static_cast<double>(op);
    for (const double speed : before) ops[op].before.push_back({.log_time = own + speed});
    for (const double speed : after) ops[op].after.push_back({.log_time = own + speed});
    ops[op].value = mean_level(ops[op].after) - mean_level(ops[op].before);
  }
  return ops;
}

TEST(TakeOffShared, leaves_what_an_operator_does_beside_the_others) {
  std::vector<Difference> ops = eight({0, 0.2}, {0.5, 0.1, 0.6});
  for (RunLevel& level : ops[3].after) level.log_time += 0.1;
  ops[3].value += 0.1;
  EXPECT_NEAR(take_off_shared(ops), 0.4 - 0.1, 1e-12);
  for (std::size_t op = 0; op < ops.size(); ++op) {
    EXPECT_NEAR(ops[op].value, op == 3 ? 0.1 : 0, 1e-12) << op;
    EXPECT_NEAR(mean_level(ops[op].after) - mean_level(ops[op].before), ops[op].value, 1e-12) << op;
    for (const auto* side : {&ops[op].before, &ops[op].after})
      for (const RunLevel& level : *side) EXPECT_NEAR(level.log_time, side->front().log_time, 1e-12) << op;
  }
}

TEST(TakeOffShared, is_the_same_whichever_side_is_called_before) {
  Random random(3);
  std::vector<Difference> ops = eight({0, 0.2, 0.1}, {0.5, 0.1});
  for (Difference& op : ops) {
    const double change = standard_normal(random) * 0.1;
    for (RunLevel& level : op.before) level.log_time += standard_normal(random) * 0.1;
    for (RunLevel& level : op.after) level.log_time += change + standard_normal(random) * 0.1;
    op.value = mean_level(op.after) - mean_level(op.before);
  }
  std::vector<Difference> turned = ops;
  for (Difference& op : turned) std::swap(op.before, op.after), op.value = -op.value;
  EXPECT_NEAR(take_off_shared(ops), -take_off_shared(turned), 1e-12);
  for (std::size_t op = 0; op < ops.size(); ++op) EXPECT_NEAR(ops[op].value, -turned[op].value, 1e-12) << op;
}

TEST(TakeOffShared, says_nothing_of_few_operators) {
  std::vector<Difference> ops = eight({0, 0.2}, {0.5, 0.1});
  ops.pop_back();
  EXPECT_EQ(take_off_shared(ops), 0);
  EXPECT_NEAR(ops[3].value, 0.2, 1e-12);
}

TEST(SharedChange, is_the_median_of_enough_operators) {
  std::vector<Difference> ops(enough_ops);
  for (std::size_t op = 0; op < ops.size(); ++op) ops[op].value = op < ops.size() / 2 ? 1 : 3;
  EXPECT_DOUBLE_EQ(shared_change(ops), ops.size() % 2 == 0 ? 2 : 3);
  ops.pop_back();
  EXPECT_EQ(shared_change(ops), 0) << "one too few";
}

/// Two busy programs on two processors: runs differ by an eighth, an operator beside the others by a percent.
Machine unsteady_machine(int ops) {
  return {.sigma = 0.05,
          .correlation = 0.5,
          .start_sigma = 0.01,
          .shared_sigma = 0.12,
          .preempted = 0.3,
          .ops = ops,
          .samples = 200};
}

TEST(BesideTheRest, five_runs_find_a_tenth_of_one_operator_where_runs_differ_by_an_eighth) {
  int found = 0, others = 0, whole = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const auto before = runs_on(unsteady_machine(8), 5, 20 * i);
    const auto after = runs_on(unsteady_machine(8), 5, 20 * i + 10, {.one = 1.1});
    const Comparison comparison = compare_profiles(before, after, {}, false);
    found += comparison.ops[7].verdict == Verdict::slower;
    whole += is_change(comparison.whole);
    for (std::size_t op = 0; op < 7; ++op) others += is_change(comparison.ops[op]);
  }
  EXPECT_GE(found, 36);
  EXPECT_LE(others, 1);
  EXPECT_LE(whole, 1);
}

TEST(BesideTheRest, finds_nothing_in_the_same_thing) {
  int alarms = 0, pairs = 0;
  for (const int runs : {2, 3, 5})
    for (const int ops : {8, 30})
      for (std::uint64_t i = 0; i < 20; ++i, ++pairs)
        alarms += any_change(compare_profiles(runs_on(unsteady_machine(ops), runs, 20 * i),
                                              runs_on(unsteady_machine(ops), runs, 20 * i + 10), {}, false));
  EXPECT_LE(alarms, pairs / 20);
}

// The second side ran beside something that slowed half of the operators: that is no change of those.
TEST(BesideTheRest, another_state_of_the_machine_on_one_side_makes_no_operator_slower) {
  int alarms = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto before = runs_on(unsteady_machine(30), 3, 20 * i);
    auto after = runs_on(unsteady_machine(30), 3, 20 * i + 10);
    for (RecordedProfile& run : after)
      for (std::size_t op = 0; op < run.ops.size(); op += 2)
        for (Nanoseconds& sample : run.ops[op].samples) sample = sample * 11 / 10;
    const Comparison comparison = compare_profiles(before, after, {}, false);
    alarms += std::any_of(comparison.ops.begin(), comparison.ops.end(), is_change);
  }
  EXPECT_LE(alarms, 1);
}

TEST(BesideTheRest, what_changes_as_a_whole_is_compared_as_it_is) {
  Machine steady = unsteady_machine(8);
  steady.shared_sigma = 0.01;
  const Comparison comparison =
      compare_profiles(runs_on(steady, 5, 1), runs_on(steady, 5, 11, {.all = 1.5}), {}, false);
  EXPECT_EQ(comparison.whole.verdict, Verdict::slower);
  for (const Change& op : comparison.ops) EXPECT_NEAR(*op.ratio, 0.5, 0.05) << op.name;
}

TEST(BesideTheRest, says_what_was_put_down_to_the_machine) {
  const auto before = runs_on(unsteady_machine(8), 5, 41), after = runs_on(unsteady_machine(8), 5, 61, {.all = 1.1});
  const Comparison comparison = compare_profiles(before, after, {}, false);
  ASSERT_FALSE(is_change(comparison.whole));
  EXPECT_THAT(comparison.notes, testing::Contains(HasSubstr("all operators together were")));
  for (const Change& op : comparison.ops) EXPECT_NEAR(*op.ratio, 0, 0.03) << op.name;
}

}  // namespace
}  // namespace takt
