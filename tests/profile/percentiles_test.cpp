#include "profile/percentiles.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "profile/results.h"

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

}  // namespace
}  // namespace takt
