#include "report/results/sweep_points.h"

#include <gtest/gtest.h>

#include "report/made_tables.h"

namespace takt {
namespace {

using namespace std::string_literals;

MadeRow measured(const std::string& number, std::int64_t nodes, std::int64_t edges, Cell mean) {
  return {{"network", "GCN"s},    {"stage_number", number}, {"unit", "CPU"s},
          {"graph_nodes", nodes}, {"graph_edges", edges},   {"mean_us", mean}};
}

std::vector<ReportTable> sweep(const std::vector<MadeRow>& rows) {
  return {made_table("stages", {{{"network", "GCN"s}, {"stage_number", "1"s}, {"stage_work", "GATHER"s}}}),
          made_table("measurements", rows)};
}

/// 5 + 2 · nodes + 1 · edges.
double law(std::int64_t nodes, std::int64_t edges) {
  return 5 + 2.0 * static_cast<double>(nodes) + static_cast<double>(edges);
}

TEST(SweepPoints, have_the_law_that_was_fitted_to_them) {
  std::vector<MadeRow> rows;
  for (const std::int64_t nodes : {10, 20, 40})
    for (const std::int64_t edges : {30, 90}) rows.push_back(measured("1", nodes, edges, law(nodes, edges)));
  const auto points = sweep_points(sweep(rows));
  ASSERT_EQ(points.size(), 6u);
  for (const ReportPoint& point : points) {
    EXPECT_EQ(point.stage, "1 GATHER");
    EXPECT_EQ(point.measured, Duration(law(point.nodes, point.edges)));
    ASSERT_TRUE(point.law && point.law_low && point.law_high);
    EXPECT_NEAR(point.law->count(), law(point.nodes, point.edges), 1e-3);
    EXPECT_LE(*point.law_low, *point.law);
    EXPECT_GE(*point.law_high, *point.law);
  }
}

TEST(SweepPoints, fused_ranges_and_rows_that_failed_are_none_and_few_sizes_have_no_law) {
  const auto points = sweep_points(sweep({measured("1", 10, 20, 7.0), measured("1", 20, 20, Cell()),
                                          measured("1-2", 10, 20, 9.0), measured("1", 0, 20, 9.0)}));
  ASSERT_EQ(points.size(), 1u);
  EXPECT_FALSE(points[0].law);
  EXPECT_TRUE(sweep_points({}).empty());
}

}  // namespace
}  // namespace takt
