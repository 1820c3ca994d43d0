// Steps with marks and without.
#include "training/steps/steps.h"

#include <gtest/gtest.h>

#include <random>

#include "training/diagnosis/diagnosis.h"
#include "training/diagnosis/made_training.h"
#include "training/steps/rise.h"

namespace takt {
namespace {

std::vector<std::uint32_t> sequence(int steps, const std::vector<std::uint32_t>& step) {
  std::vector<std::uint32_t> all;
  for (int i = 0; i < steps; ++i) all.insert(all.end(), step.begin(), step.end());
  return all;
}

TEST(Repetition, begins_where_the_first_of_a_step_comes_again) {
  EXPECT_EQ(find_repetition(sequence(3, {1, 2, 2, 3, 4})), (std::vector<std::size_t>{0, 5, 10, 15}));
}

TEST(Repetition, chains_inside_a_step_are_no_steps) {
  std::vector<std::uint32_t> step{1};
  for (int i = 0; i < 400; ++i) step.push_back(i % 2 == 0 ? 8 : 9);
  step.insert(step.end(), {2, 3, 4, 5});
  EXPECT_EQ(find_repetition(sequence(4, step)).size(), 5u);
}

TEST(Repetition, what_is_cut_off_at_either_end_is_no_step) {
  const std::vector<std::uint32_t> all = sequence(5, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const std::vector<std::uint32_t> inner(all.begin() + 5, all.end() - 5);
  const auto begins = find_repetition(inner);
  EXPECT_EQ(begins.size(), 5u);  // four whole ones fit
}

TEST(Repetition, what_follows_the_last_step_is_none_of_it) {
  std::vector<std::uint32_t> all = sequence(5, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  for (std::uint32_t i = 0; i < 8; ++i) all.push_back(20 + i);
  EXPECT_EQ(find_repetition(all), (std::vector<std::size_t>{0, 10, 20, 30, 40, 50}));
}

TEST(Repetition, what_never_comes_again_has_no_steps) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < 500; ++i) all.push_back(i);
  EXPECT_TRUE(find_repetition(all).empty());
  EXPECT_TRUE(find_repetition({}).empty());
  EXPECT_TRUE(find_repetition({1, 1}).empty());
  std::mt19937 random(3);
  all.clear();
  for (int i = 0; i < 500; ++i) all.push_back(static_cast<std::uint32_t>(random() % 20));
  EXPECT_TRUE(find_repetition(all).empty());
}

TEST(Steps, without_marks_are_as_many_as_with_them) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    MadeTraining made;
    made.seed = seed;
    made.has_device = seed % 3 != 0;
    made.steps = 3 + static_cast<int>(seed % 9);
    if (seed % 4 == 1) made.cause = TrainingCause::tiny_kernels;
    if (seed % 4 == 2) made.cause = TrainingCause::rising_step_time;
    if (seed % 4 == 3) made.cause = TrainingCause::data_starvation;
    const Trace marked = made_training(made);
    const Activity activity = activity_of(without_names(marked, "ProfilerStep"));
    const Steps steps = find_steps(activity);
    EXPECT_EQ(steps.list.size(), static_cast<std::size_t>(made.steps)) << "seed " << seed;
    EXPECT_EQ(steps.source, made.has_device ? StepSource::kernels : StepSource::operators) << "seed " << seed;
  }
}

TEST(Steps, a_rise_in_the_middle_is_found_to_the_step_with_marks_and_without) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    MadeTraining made{.cause = TrainingCause::rising_step_time, .seed = seed, .steps = 12};
    made.has_device = seed % 2 == 0;
    const Trace marked = made_training(made);
    for (const bool has_marks : {true, false}) {
      const Diagnosis one = diagnose("made", has_marks ? marked : without_names(marked, "ProfilerStep"));
      ASSERT_FALSE(one.verdicts.empty());
      EXPECT_EQ(one.verdicts[0].verdict.cause, TrainingCause::rising_step_time);
      EXPECT_NEAR(static_cast<double>(one.verdicts[0].steps.front()), has_marks ? 9 : 6, 1) << "seed " << seed;
    }
  }
}

TEST(Rise, is_found_where_the_level_changes) {
  const std::vector<double> times{10, 10.2, 9.9, 10.1, 13, 13.1, 12.9, 13.2};
  const auto rise = find_rise(times);
  ASSERT_TRUE(rise);
  EXPECT_EQ(rise->at, 4u);
  EXPECT_FALSE(rise->is_gradual);
}

TEST(Rise, a_steady_growth_is_one) {
  std::vector<double> times;
  for (int i = 0; i < 12; ++i) times.push_back(10 + 0.3 * i);
  const auto rise = find_rise(times);
  ASSERT_TRUE(rise);
  EXPECT_TRUE(rise->is_gradual);
}

TEST(Rise, noise_a_slow_start_and_one_slow_step_are_none) {
  EXPECT_FALSE(find_rise(std::vector<double>{18, 12, 12.6, 12.4, 16.3, 11.6}));
  EXPECT_FALSE(find_rise(std::vector<double>{10, 10, 10, 10, 10, 10, 10, 30}));
  EXPECT_FALSE(find_rise(std::vector<double>{1, 1, 1, 2}));
  std::mt19937 random(5);
  int found = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) times.push_back(10 + 0.05 * static_cast<double>(random() % 100));
    found += find_rise(times) ? 1 : 0;
  }
  EXPECT_LE(found, 1);
}

}  // namespace
}  // namespace takt
