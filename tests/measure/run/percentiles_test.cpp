#include "measure/report/percentiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/basics/error.h"
#include "measure/run/results.h"
#include "refused.h"

namespace takt {
namespace {

TEST(Percentiles, are_read_from_text) {
  EXPECT_EQ(parse_percentiles("50, 95,99.9,0,100"), (std::vector<double>{50, 95, 99.9, 0, 100}));
  for (const auto& [wrong, part] : {std::pair<std::string, std::string>{"", ""},
                                    {"50,", ""},
                                    {"p99", "p99"},
                                    {"1,-1", "-1"},
                                    {"100.1", "100.1"},
                                    {"nan", "nan"},
                                    {"50;60", "50;60"}})
    EXPECT_EQ(refused_with([&, &text = wrong] { parse_percentiles(text); }),
              "--percentiles '" + wrong + "': '" + part +
                  "' is not a number from 0 to 100; write numbers such as 50,95,99.9");
}

TEST(Percentiles, interpolate_between_runs_of_any_order) {
  const auto result = profiled_result({{5000, {}}, {1000, {}}, {3000, {}}, {2000, {}}, {4000, {}}});
  const auto table = percentiles_table(result, {0, 100});
  ASSERT_EQ(table.rows.size(), 2u);
  const std::vector<double> wanted{1, 5};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(std::get<std::string>(table.rows[i][0]), "profiled");
    EXPECT_DOUBLE_EQ(std::get<Duration>(table.rows[i][2]).count(), wanted[i]);
    EXPECT_DOUBLE_EQ(std::get<Duration>(table.rows[i][3]).count(), wanted[i] + 0.001);
  }
}

TEST(Percentiles, need_runs_beyond_them_and_say_how_many) {
  std::vector<std::pair<std::int64_t, std::vector<OpSample>>> runs;
  for (int i = 0; i < 300; ++i) runs.push_back({1000 * (i + 1), {}});
  std::shuffle(runs.begin(), runs.end(), std::mt19937(5));
  const Table table = percentiles_table(profiled_result(runs), {50, 99, 99.9});
  const Table shown =
      some_columns(table, {"percentile_us", "percentile_low_us", "percentile_high_us", "percentile_needs_runs"});
  EXPECT_DOUBLE_EQ(std::get<Duration>(shown.rows[0][0]).count(), 150.5);
  EXPECT_NEAR(std::get<Duration>(shown.rows[0][1]).count() + std::get<Duration>(shown.rows[0][2]).count(), 301, 1e-6);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(shown.rows[0][3]));
  EXPECT_DOUBLE_EQ(std::get<Duration>(shown.rows[1][0]).count(), 297.01);
  EXPECT_GT(std::get<Duration>(shown.rows[1][1]), Duration(280));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(shown.rows[1][2])) << "300 runs do not reach above it for sure";
  EXPECT_TRUE(std::holds_alternative<std::monostate>(shown.rows[2][0])) << "p99.9 of 300 runs";
  EXPECT_EQ(std::get<std::int64_t>(shown.rows[2][3]), 3000);
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
