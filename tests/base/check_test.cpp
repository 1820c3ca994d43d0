#include "base/basics/check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/basics/index.h"
#include "base/statistics/statistics.h"

namespace takt {
namespace {

TEST(Check, lets_what_holds_pass_and_asks_once) {
  int asked = 0;
  TAKT_CHECK(++asked == 1);
  EXPECT_EQ(asked, 1);
}

TEST(CheckDeathTest, ends_the_program_with_place_and_condition) {
  EXPECT_DEATH(TAKT_CHECK(1 + 1 == 3), "check_test.cpp:[0-9]+: '1 \\+ 1 == 3' does not hold");
}

TEST(CheckDeathTest, percentiles_of_nothing_and_outside_0_to_1_are_mistakes) {
  const std::vector<double> one{1};
  EXPECT_DEATH(percentile({}, 0.5), "count > 0");
  EXPECT_DEATH(percentile(one, 1.01), "fraction");
  EXPECT_DEATH(percentile(one, std::nan("")), "fraction");
}

#ifdef TAKT_CHECKS_ARE_CHEAP
TEST(CheckDeathTest, a_place_below_zero_is_a_mistake) { EXPECT_DEATH(index(-1), "number >= 0"); }
#endif

}  // namespace
}  // namespace takt
