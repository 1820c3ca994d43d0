// Variances and their degrees of freedom, worked out by hand.
#include "measure/compare/difference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/statistics/significance.h"

namespace takt {
namespace {

/// A run of 100 samples in 10 blocks.
RunLevel level(double log_time, double variance = 0, double independent = 0) {
  return {log_time, variance, independent, 0, 10, 100};
}

Difference of_runs(std::vector<RunLevel> before, std::vector<RunLevel> after) {
  Difference made;
  made.before = std::move(before), made.after = std::move(after);
  return made;
}

TEST(Difference, is_that_of_the_mean_logarithms_after_against_before) {
  const std::vector<Nanoseconds> slow(5, Nanoseconds(200)), slower(5, Nanoseconds(800)), fast(5, Nanoseconds(100));
  const auto found = difference({fast, fast}, {slow, slower});
  EXPECT_NEAR(found->value, std::log(4), 1e-12);  // √(200·800) against 100
  EXPECT_FALSE(difference({fast}, {std::span(slow).first(4)}));
}

// Independent samples: each run's variance, over the square of the runs of its side, and half of the samples less one
// as degrees of freedom.
TEST(UseSamples, adds_the_variances_of_means) {
  const RunLevel one = level(0, 4e-4, 4e-4);
  Difference single = of_runs({one}, {one}), twice = of_runs({one, one}, {one, one});
  use_samples(single, 1, {});
  EXPECT_NEAR(single.variance, 8e-4, 1e-12);
  EXPECT_NEAR(single.freedom, 98, 1e-9);
  EXPECT_EQ(single.sampling, single.variance);
  use_samples(twice, 1, {});
  EXPECT_NEAR(twice.variance, 4e-4, 1e-12);
  EXPECT_NEAR(twice.freedom, 196, 1e-9);
  EXPECT_NEAR(half_width(single, 0.025), student_quantile(98, 0.025) * std::sqrt(8e-4), 1e-12);
}

// What starts differ by is added once for each of the two runs, and is not known well.
TEST(UseSamples, adds_what_starts_of_a_program_differ_by) {
  Difference op = of_runs({level(0, 4e-4, 4e-4)}, {level(0, 4e-4, 4e-4)});
  use_samples(op, 1, {.usual = 0.01, .depth = 0});
  EXPECT_NEAR(op.variance, 8e-4 + 2e-4, 1e-12);
  EXPECT_NEAR(op.sampling, 8e-4, 1e-12);
  EXPECT_EQ(op.freedom, 4);
}

// Before 0 and 0.1, after 0 and 0.3: variances 0.005 and 0.045, of the means 0.0025 and 0.0225, together 0.025 with
// 0.025² / (0.0025² + 0.0225²) = 1.2195 degrees of freedom. What samples told, 0.01, counts for four.
TEST(UseRuns, steadies_the_variance_between_runs_by_what_was_known) {
  std::vector<Difference> ops{of_runs({level(0), level(0.1)}, {level(0), level(0.3)})};
  ops[0].variance = 0.01;
  use_runs(ops, {});
  EXPECT_NEAR(ops[0].freedom, 4 + 1.2195, 1e-4);
  EXPECT_NEAR(ops[0].variance, (4 * 0.01 + 1.2195 * 0.025) / 5.2195, 1e-6);

  ops[0].variance = 0.01, ops[0].sampling = 0.5;
  use_runs(ops, {});
  EXPECT_EQ(ops[0].variance, 0.5) << "no less than the samples tell";
}

TEST(PooledDrift, is_the_median_excess_of_blocks_and_at_least_one) {
  EXPECT_EQ(pooled_drift({}), 1);
  EXPECT_EQ(pooled_drift({of_runs({level(0, 1e-4, 4e-4)}, {level(0, 2e-4, 4e-4)})}), 1);
  EXPECT_DOUBLE_EQ(pooled_drift({of_runs({level(0, 12e-4, 4e-4)}, {level(0, 20e-4, 4e-4)})}), 4);
}

}  // namespace
}  // namespace takt
