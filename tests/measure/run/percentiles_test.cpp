#include "measure/report/percentiles.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "measure/run/results.h"

namespace takt {
namespace {

TEST(Percentiles, are_read_from_text) {
  EXPECT_EQ(parse_percentiles("50, 95,99.9,0,100"), (std::vector<double>{50, 95, 99.9, 0, 100}));
  for (const char* wrong : {"", "50,", "p99", "-1", "100.1", "nan", "50;60"})
    EXPECT_THROW(parse_percentiles(wrong), UsageError) << wrong;
}

TEST(Percentiles, interpolate_between_runs_of_any_order) {
  const auto result = profiled_result({{5000, {}}, {1000, {}}, {3000, {}}, {2000, {}}, {4000, {}}});
  const auto table = percentiles_table(result, {0, 25, 90, 100});
  ASSERT_EQ(table.rows.size(), 4u);
  const std::vector<double> wanted{1, 2, 4.6, 5};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(std::get<std::string>(table.rows[i][0]), "profiled");
    EXPECT_DOUBLE_EQ(std::get<Duration>(table.rows[i][2]).count(), wanted[i]);
    EXPECT_DOUBLE_EQ(std::get<Duration>(table.rows[i][3]).count(), wanted[i] + 0.001);
  }
}

TEST(Percentiles, of_each_pass_that_ran) {
  RunResult result = profiled_result({{5000, {}}, {1000, {}}});
  result.plain = *result.profiled;
  result.plain->profiled = false;
  result.plain->samples = {ns(7000)}, result.plain->host_samples = {ns(9000)};
  const auto rows = percentiles_table(result, {100}).rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(std::get<std::string>(rows[0][0]), "plain");
  EXPECT_EQ(std::get<Duration>(rows[0][2]), Duration(7));
  EXPECT_EQ(std::get<Duration>(rows[0][3]), Duration(9));
  EXPECT_EQ(std::get<Duration>(rows[1][2]), Duration(5));
  result.plain->samples.clear();
  EXPECT_EQ(percentiles_table(result, {50, 90}).rows.size(), 2u);
}

}  // namespace
}  // namespace takt
