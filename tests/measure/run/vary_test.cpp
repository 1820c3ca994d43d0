#include "measure/run/vary.h"

#include <gtest/gtest.h>

#include <random>

#include "places.h"

namespace takt {
namespace {

constexpr int rounds = 20;

/// A time per round: what the machine does in a round (`drift`) meets all variants alike, noise meets each apart.
std::vector<std::vector<double>> times_of(const std::vector<double>& means, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto shake = [&](double spread) { return 1 + spread * (static_cast<double>(random() >> 11) * 0x1p-52 - 1); };
  std::vector<std::vector<double>> times(means.size());
  for (int round = 0; round < rounds; ++round) {
    const double drift = 1 + (round >= rounds / 2);  // half way another program starts
    for (std::size_t i = 0; i < means.size(); ++i) times[i].push_back(means[i] * drift * shake(noise));
  }
  return times;
}

VaryResult compared(const std::vector<std::vector<double>>& times) {
  VaryResult result;
  result.rows.resize(times.size());
  compare_variants(result, times);
  return result;
}

TEST(Vary, finds_the_fastest_and_what_is_not_told_apart_from_it) {
  const auto result = compared(times_of({1000, 500, 502, 2000}, 0.02, 3));
  ASSERT_TRUE(result.fastest);
  EXPECT_EQ(result.first, 0u);
  EXPECT_TRUE(*result.fastest == 1 || *result.fastest == 2);
  EXPECT_EQ(result.rows[*result.fastest].standing, Standing::fastest);
  EXPECT_EQ(result.rows[3 - *result.fastest].standing, Standing::within_noise);
  EXPECT_EQ(result.rows[0].standing, Standing::slower);
  EXPECT_EQ(result.rows[3].standing, Standing::slower);
  EXPECT_FALSE(result.rows[0].ratio);
  EXPECT_NEAR(result.rows[1].ratio.value(), 0.5, 0.02);
  EXPECT_NEAR(result.rows[3].ratio.value(), 2, 0.05);
  EXPECT_LT(result.rows[3].interval.value().low, 2);
  EXPECT_GT(result.rows[3].interval.value().high, 2);
}

TEST(Vary, of_variants_that_take_equally_long_the_first_is_the_fastest) {
  const std::vector<double> slow(20, 1000), fast(20, 500);
  EXPECT_EQ(compared({slow, slow, slow}).fastest, 0u);
  EXPECT_EQ(compared({slow, fast, fast}).fastest, 1u);
  const auto result = compared({{}, slow, fast, {}});
  EXPECT_EQ(result.first, 1u);
  EXPECT_EQ(result.fastest, 2u);
  EXPECT_EQ(result.rows[2].per_second, 2000);
  EXPECT_EQ(result.rows[1].per_second, 1000);
  EXPECT_FALSE(result.rows[0].per_second);
}

TEST(Vary, calls_noise_no_difference) {
  if (is_sanitized()) GTEST_SKIP() << only_more_cases;
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto result = compared(times_of({1000, 1000, 1000}, 0.2, seed));
    for (const auto& row : result.rows) wrong += row.standing != Standing::within_noise;
  }
  EXPECT_LE(wrong, 30);  // of 300; the fastest of three is chosen first, so a little more than 5 %
}

TEST(Vary, variants_that_did_not_run_are_left_out) {
  auto times = times_of({1000, 900, 800}, 0.01, 5);
  times[0].clear();
  const auto result = compared(times);
  EXPECT_EQ(result.first, 1u);
  EXPECT_EQ(result.fastest, 2u);
  EXPECT_FALSE(result.rows[0].per_second);
  EXPECT_NEAR(result.rows[2].ratio.value(), 800.0 / 900, 0.01);
}

TEST(Vary, too_few_rounds_tell_nothing_apart) {
  auto times = times_of({1000, 500}, 0.01, 5);
  for (auto& own : times) own.resize(3);
  const auto result = compared(times);
  EXPECT_TRUE(result.rows[1].ratio);
  EXPECT_FALSE(result.rows[1].interval);
  for (const auto& row : result.rows) EXPECT_FALSE(row.standing);
}

TEST(Vary, one_variant_or_none_has_no_standing) {
  EXPECT_FALSE(compared(times_of({1000}, 0.01, 5)).rows[0].standing);
  EXPECT_FALSE(compared({{}, {}}).fastest);
}

TEST(Vary, the_table_has_reasons_and_dashes) {
  auto result = compared(times_of({1000, 500}, 0.01, 5));
  auto& failed = result.rows.emplace_back();
  for (auto& row : result.rows) row.differs = {{"threads", "9"}};
  failed.failure = "it has no such threads";
  const auto table = variants_table(result);
  ASSERT_EQ(table.rows.size(), 3u);
  const auto at = [&](std::size_t row, std::string_view name) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (table.columns[c].name == name) return table.rows[row][c];
    return Cell("no such column");
  };
  EXPECT_EQ(at(2, "failure"), Cell(std::string("it has no such threads")));
  EXPECT_EQ(at(2, "variant_median_us"), Cell());
  EXPECT_EQ(at(1, "standing"), Cell(std::string("fastest")));
  EXPECT_EQ(at(0, "time_ratio"), Cell());
  EXPECT_NE(to_text(result).find("threads=9: it has no such threads"), std::string::npos);
}

}  // namespace
}  // namespace takt
