#include "base/statistics/spread.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/statistics/random.h"
#include "base/statistics/statistics.h"

namespace takt {
namespace {

TEST(Spread, of_nothing_says_nothing) {
  const Spread spread = describe({});
  EXPECT_EQ(spread.count, 0);
  EXPECT_EQ(spread.total.count(), 0);
  EXPECT_FALSE(spread.mean || spread.median || spread.p90 || spread.p99 || spread.max);
  EXPECT_FALSE(median(std::vector<std::int64_t>{}));
}

// On both sides of the size from which values are counted instead of sorted.
TEST(Spread, has_the_percentiles_of_a_summary) {
  Random random(5);
  for (const std::size_t size : {1u, 2u, 9u, 5'000u}) {
    std::vector<std::int64_t> values(size);
    for (auto& value : values) value = static_cast<std::int64_t>(random() % 1'000'000);
    std::vector<Nanoseconds> times;
    for (const std::int64_t value : values) times.emplace_back(value);
    std::vector<double> sorted;
    for (const Nanoseconds time : times) sorted.push_back(Duration(time).count());
    std::sort(sorted.begin(), sorted.end());
    const Spread spread = describe(values);
    const auto summary = summarize(times);
    EXPECT_EQ(spread.count, static_cast<std::int64_t>(summary->count));
    EXPECT_NEAR(spread.mean->count(), summary->mean.count(), 1e-6);
    EXPECT_NEAR(spread.median->count(), summary->median.count(), 1e-6);
    EXPECT_NEAR(spread.p90->count(), summary->p90.count(), 1e-6);
    EXPECT_NEAR(spread.p99->count(), percentile(sorted, 0.99), 1e-6);
    EXPECT_EQ(spread.max->count(), summary->max.count());
    EXPECT_EQ(median(values), spread.median);
  }
}

}  // namespace
}  // namespace takt
