#include "report/results/levels.h"

#include <gtest/gtest.h>

namespace takt {
namespace {

ReportStep step_that_reads(std::vector<std::size_t> reads, double us) {
  return {"", "", "k0", Duration(us), {}, std::move(reads)};
}

/// 0 splits into a short way (1) and a long one (2, 3) that meet in 4; 5 reads nothing.
std::vector<ReportStep> diamond() {
  return {step_that_reads({}, 10),  step_that_reads({0}, 40),   step_that_reads({0}, 15),
          step_that_reads({2}, 20), step_that_reads({1, 3}, 5), step_that_reads({}, 30)};
}

TEST(Levels, a_step_is_one_above_the_highest_that_it_reads) {
  auto steps = diamond();
  add_levels(steps);
  std::vector<std::size_t> levels;
  for (const auto& step : steps) levels.push_back(step.level);
  EXPECT_EQ(levels, (std::vector<std::size_t>{0, 1, 1, 2, 3, 0}));
}

TEST(Levels, the_chain_is_the_one_that_takes_longest_not_the_one_of_most_steps) {
  auto steps = diamond();
  add_levels(steps);
  std::vector<bool> chain;
  for (const auto& step : steps) chain.push_back(step.on_chain);
  EXPECT_EQ(chain, (std::vector<bool>{true, true, false, false, true, false}));
  EXPECT_EQ(levels_title(steps), "The longest chain of operators takes 55.0 µs of 120 µs; the widest level has 2");
}

TEST(Levels, a_chain_is_said_and_without_readers_nothing_is) {
  std::vector<ReportStep> chain{step_that_reads({}, 1), step_that_reads({0}, 1), step_that_reads({1}, 1)};
  add_levels(chain);
  EXPECT_EQ(levels_title(chain), "Every operator reads the one before: a chain of 3");
  std::vector<ReportStep> loose{step_that_reads({}, 1), step_that_reads({}, 1)};
  add_levels(loose);
  EXPECT_EQ(levels_title(loose), "");
  std::vector<ReportStep> none;
  add_levels(none);
  EXPECT_EQ(levels_title(none), "");
}

}  // namespace
}  // namespace takt
