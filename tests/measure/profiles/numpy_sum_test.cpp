#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "measure/profiles/analyze.h"

namespace takt {
namespace {

/// 2⁵³, beside which a single 1 is lost, and ones behind it: the sum tells in which order they were added.
std::vector<double> large_and_ones(std::size_t count) {
  std::vector<double> values(count, 1);
  values[0] = std::ldexp(1.0, 53);
  return values;
}

double beyond_the_large(std::size_t count) { return numpy_sum(large_and_ones(count)) - std::ldexp(1.0, 53); }

// Up to 128 values: eight sums side by side; that of the large one loses its own ones.
TEST(NumpySum, adds_in_eight_lanes) { EXPECT_EQ(beyond_the_large(128), 7 * 16); }

// 136 are 64 in eight lanes (7 · 8 beyond the large one) and 72 apart from it, of which none is lost.
TEST(NumpySum, cuts_more_than_128_values_in_two) { EXPECT_EQ(beyond_the_large(136), 7 * 8 + 72); }

// One by one all are lost.
TEST(NumpySum, adds_fewer_than_eight_in_order) { EXPECT_EQ(beyond_the_large(7), 0); }

// Eight are added two by two: 2⁵³ + 1 loses one, and to it come 2 and then 4.
TEST(NumpySum, adds_eight_two_by_two) { EXPECT_EQ(beyond_the_large(8), 6); }

// A block of 8192 and four behind it, whose sum is added as a whole.
TEST(NumpySum, adds_blocks_of_8192_in_order) { EXPECT_EQ(beyond_the_large(8192 + 4), beyond_the_large(8192) + 4); }

}  // namespace
}  // namespace takt
