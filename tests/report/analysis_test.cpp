#include "report/results/analysis.h"

#include <gtest/gtest.h>

#include "report/made_tables.h"
#include "report/results/headline.h"

namespace takt {
namespace {

MadeRow op(const char* name, const char* type, Cell time, double share, const char* bound = "") {
  return {{"name", *name ? Cell(name) : Cell()},
          {"type", type},
          {"count", std::int64_t{*name ? 1 : 4}},
          {"time_us", std::move(time)},
          {"time_share_percent", share},
          {"roofline", bound},
          {"memory_level", "DRAM"},
          {"peak_share_percent", 62.4}};
}

ReportResult analyzed(std::vector<MadeRow> rows, double total) {
  ReportResult result;
  result.tables = {made_table("operators", std::move(rows)),
                   made_table("summary", {{{"operators", std::int64_t{3}}, {"device_total_us", total}}})};
  add_sentences(result, "analyze");
  return result;
}

TEST(Analysis, begins_with_the_type_that_takes_most_and_the_longest_operator) {
  const ReportResult result = analyzed(
      {op("c1", "Conv", 30.0, 30), op("m", "MatMul", 45.0, 45, "memory bound"), op("c2", "Conv", 25.0, 25)}, 100);
  EXPECT_EQ(result.headline, "Conv takes 55.0 % of 100 µs; longest: m (MatMul), 45.0 µs, 45.0 % of all operators");
  EXPECT_EQ(result.lede, "It is limited by DRAM at 62 % of the peak: fewer bytes help, by fusion or a narrower type.");
  ASSERT_EQ(result.bars.size(), 1u);
  EXPECT_EQ(result.bars[0].whole, Duration(100));
  EXPECT_EQ(result.facts.size(), 2u);
}

TEST(Analysis, of_some_operators_only_names_the_longest_without_a_bar_that_would_not_add_up) {
  const ReportResult result = analyzed({op("c1", "Conv", 30.0, 30, "compute bound"), op("x", "", Cell(), 0)}, 100);
  EXPECT_EQ(result.headline, "Longest: c1 (Conv), 30.0 µs, 30.0 % of all operators");
  EXPECT_EQ(result.lede, "It computes at 62 % of the peak: fewer operations or a narrower type help.");
  EXPECT_TRUE(result.bars.empty());
}

TEST(Analysis, of_rows_that_combine_operators_says_how_many) {
  const ReportResult result = analyzed({op("", "Transpose", 80.0, 80), op("", "Conv", 20.0, 20)}, 100);
  EXPECT_EQ(result.headline, "Longest: 4 Transpose, 80.0 µs, 80.0 % of all operators");
  EXPECT_EQ(result.lede, "It moves data and computes nothing: a layout that its neighbours share would save it.");
  EXPECT_EQ(result.bars.size(), 1u);
}

TEST(Analysis, without_times_says_what_was_printed) {
  EXPECT_EQ(analyzed({op("c1", "Conv", Cell(), 0)}, 0).headline, "What takt analyze printed: 2 rows in 2 tables");
  EXPECT_EQ(analyzed({}, 0).headline, "What takt analyze printed: 1 row in 2 tables");
}

}  // namespace
}  // namespace takt
