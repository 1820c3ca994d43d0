// How far drawn errors lie apart, by hand: of many draws the standard deviation is what the errors say.
#include "plan/costs/errors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace takt {
namespace {

/// Of 3000 draws, each asked for this share of a batch that takes 100 us.
double deviation_of(const CostErrors& errors, double share, Duration mean = Duration(100)) {
  Random random(7);
  double squares = 0;
  for (int i = 0; i < 3000; ++i) squares += std::pow(DrawnError(errors, random).at(share, mean).count(), 2);
  return std::sqrt(squares / 3000);
}

/// Of a law whose rows lie off it by a tenth, at the only size that was measured: 10 nodes, 20 edges, 5 features.
CostErrors of_law() {
  CostErrors errors;
  errors.size = {10, 20}, errors.features = 5;
  errors.fit.emplace();
  errors.fit->law.terms = 4, errors.fit->law.spread = 0.1, errors.fit->law.freedom = 200;
  SizeSpan& span = errors.fit->span;
  span.least_nodes = 5, span.most_nodes = 10, span.least_edges = 10, span.most_edges = 20;
  span.least_ratio = span.most_ratio = 2, span.least_features = span.most_features = 5;
  return errors;
}

TEST(DrawnError, of_a_measured_cost_is_its_own_and_the_next_measurements) {
  CostErrors errors;
  errors.standard_error = Duration(3), errors.freedom = 200;
  EXPECT_NEAR(deviation_of(errors, 1), 3 * std::sqrt(2), 0.2);
  Random random(1);
  const DrawnError drawn(errors, random);
  EXPECT_DOUBLE_EQ(drawn.at(0.25, Duration(7)).count(), drawn.at(1, Duration(9)).count() / 4) << "a share of the batch";
  errors.freedom = 2;  // Student's, with wide tails
  EXPECT_GT(deviation_of(errors, 1), 6);
}

TEST(DrawnError, of_a_law_is_a_share_of_the_time_that_grows_beyond_the_sizes) {
  const CostErrors errors = of_law();
  EXPECT_NEAR(deviation_of(errors, 1), 10, 0.5);
  EXPECT_NEAR(deviation_of(errors, 1, Duration(300)), 30, 1.5);
  EXPECT_NEAR(deviation_of(errors, 0.5), 10, 0.5) << "of half the nodes and edges, inside of what was measured";
  CostErrors far = errors;
  far.size = {21, 42};  // twice as many nodes as measured, one added: 22 / 11
  EXPECT_NEAR(deviation_of(far, 1), 10 * (1 + std::log(43.0 / 21)), 1) << "edges are farther";
}

TEST(DrawnError, of_coefficients_is_theirs_times_the_terms) {
  CostErrors errors = of_law();
  auto& covariance = errors.fit->law.covariance;
  covariance[0][0] = 4, covariance[1][1] = 0.09;
  EXPECT_NEAR(deviation_of(errors, 1, Duration(0)), std::sqrt(4 + 9), 0.2) << "2 us, and 0.3 us for each of 10 nodes";
  EXPECT_NEAR(deviation_of(errors, 0.5, Duration(0)), 2.5, 0.15) << "for 5 nodes";
  covariance[0][1] = covariance[1][0] = 0.6;
  EXPECT_NEAR(deviation_of(errors, 1, Duration(0)), 5, 0.25) << "both together";
  covariance = {}, covariance[2][2] = 0.01;
  EXPECT_NEAR(deviation_of(errors, 1, Duration(0)), 2, 0.1) << "20 edges";
  covariance = {}, covariance[3][3] = 1;
  EXPECT_NEAR(deviation_of(errors, 0.5, Duration(0)), 5, 0.25) << "features are those of every share";
  errors.fit->law.terms = 3;
  EXPECT_EQ(deviation_of(errors, 0.5, Duration(0)), 0) << "a law without that term";
}

TEST(DrawnError, of_a_whole_batch_is_the_measured_one_where_there_are_both) {
  CostErrors errors = of_law();
  errors.standard_error = Duration(1), errors.freedom = 200;
  EXPECT_NEAR(deviation_of(errors, 1), std::sqrt(2), 0.1);
  EXPECT_NEAR(deviation_of(errors, 0.9), 10, 0.5);
  errors.fit->law.spread.reset();
  EXPECT_EQ(deviation_of(errors, 0.9), 0) << "nothing is known of how far it is off";
  EXPECT_EQ(deviation_of(CostErrors{}, 1), 0);
}

}  // namespace
}  // namespace takt
