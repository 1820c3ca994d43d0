#include "base/statistics/significance.h"

#include <gtest/gtest.h>

#include <array>

namespace takt {
namespace {

// From the printed tables of Student's distribution.
TEST(StudentQuantile, agrees_with_the_tables) {
  EXPECT_NEAR(student_quantile(1, 0.025), 12.706, 0.001);
  EXPECT_NEAR(student_quantile(5, 0.05), 2.015, 0.001);
  EXPECT_NEAR(student_quantile(10, 0.005), 3.169, 0.001);
  EXPECT_NEAR(student_quantile(1e6, 0.025), 1.960, 0.001);
}

// With one and two degrees of freedom the quantile has a closed form: tan(pi·(1/2 - tail)), and
// (1 - 2·tail)·sqrt(2/(4·tail·(1 - tail))).
TEST(StudentQuantile, agrees_with_its_closed_forms_near_the_middle) {
  EXPECT_NEAR(student_quantile(1, 0.4), 0.324920, 1e-6);
  EXPECT_NEAR(student_quantile(1, 0.1), 3.077684, 1e-6);
  EXPECT_NEAR(student_quantile(2, 0.4), 0.288675, 1e-6);
  EXPECT_NEAR(student_quantile(2, 0.45), 0.142134, 1e-6);
}

// The mean of 1, 2, 3 has the standard error 1/sqrt(3); of two degrees of freedom 4.303 of them hold 95 %.
TEST(HalfWidthOfMean, is_that_of_students_interval) {
  EXPECT_NEAR(*half_width_of_mean(std::array{1.0, 2.0, 3.0}), 4.3027 / 1.7321, 0.001);
  EXPECT_NEAR(*half_width_of_mean(std::array{1.0, 2.0, 3.0}, 0.9), 2.92 / 1.7321, 0.001);
  EXPECT_EQ(*half_width_of_mean(std::array{4.0, 4.0}), 0);
  EXPECT_FALSE(half_width_of_mean(std::array{1.0}));
}

// Of 3 + 3 values the largest three come together in one of 20 choices.
TEST(PermutationTest, tells_the_share_of_orders_that_give_as_much) {
  std::vector<double> values{1, 2, 3, 4, 5, 6};
  const double found = 4 + 5 + 6;
  const auto shares = permutation_p_values(std::array{found, 0.0}, {.permutations = 9'999}, [&](Random& random) {
    shuffle(values, random);
    const double sum = values[0] + values[1] + values[2];
    return std::array{sum, sum};
  });
  EXPECT_NEAR(shares[0], 0.05, 0.01);
  EXPECT_EQ(shares[1], 1);
}

TEST(PermutationTest, is_never_0_and_ends_early_where_it_is_clear) {
  int asked = 0;
  const auto never =
      permutation_p_values(std::array{1.0}, {.permutations = 99}, [](Random&) { return std::array{0.0}; });
  EXPECT_EQ(never[0], 0.01);
  const auto always = permutation_p_values(std::array{1.0}, {.permutations = 99, .enough = 10}, [&](Random&) {
    ++asked;
    return std::array{1.0};
  });
  EXPECT_EQ(always[0], 1);
  EXPECT_EQ(asked, 10);
  asked = 0;
  const auto both = permutation_p_values(std::array{1.0, 1.0}, {.permutations = 99, .enough = 10}, [&](Random&) {
    ++asked;
    return std::array{1.0, 0.0};
  });
  EXPECT_EQ(both, (std::vector<double>{1, 0.01})) << "one of the two is not clear";
  EXPECT_EQ(asked, 99);
}

}  // namespace
}  // namespace takt
