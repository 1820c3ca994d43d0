#include "base/statistics/ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace takt {
namespace {

using Values = std::vector<std::int64_t>;

void expect_places_of_a_sort(const Values& values) {
  Values sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t last = values.size() - 1;
  const std::vector<std::size_t> places = {last, 0, last / 2, last / 2 + (last > 0), last * 9 / 10, last / 3, last / 3};
  const Values found = values_at_ranks(values, places);
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(found[i], sorted[places[i]]) << "place " << places[i];
}

// Sizes on both sides of the one from which values are counted; ranges of one value, of nearly all values, and of all.
TEST(Ranks, are_those_of_a_sort_whatever_the_distribution) {
  std::mt19937_64 random(7);
  for (const std::size_t size : {1u, 2u, 3u, 2047u, 2048u, 2049u, 30'000u}) {
    Values even, narrow, constant(size, -4), skewed, extremes, zeros;
    for (std::size_t i = 0; i < size; ++i) {
      const auto bits = random();
      even.push_back(static_cast<std::int64_t>(bits % 1'000'000) - 300'000);
      narrow.push_back(1'000'000'007 + static_cast<std::int64_t>(bits % 3));
      skewed.push_back(std::int64_t{1} << (bits % 62));
      extremes.push_back(bits % 2 == 0 ? std::numeric_limits<std::int64_t>::min()
                                       : std::numeric_limits<std::int64_t>::max());
      zeros.push_back(bits % 10 == 0 ? static_cast<std::int64_t>(bits % 100'000'000) : 0);
    }
    SCOPED_TRACE(size);
    for (const Values& values : {even, narrow, constant, skewed, extremes, zeros}) expect_places_of_a_sort(values);
  }
}

TEST(Ranks, of_one_late_value_among_many_small_ones) {
  Values values(10'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i * 7919 % 10'007);
  values[17] = std::numeric_limits<std::int64_t>::max();
  expect_places_of_a_sort(values);
}

}  // namespace
}  // namespace takt
