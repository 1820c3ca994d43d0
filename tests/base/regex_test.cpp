#include "base/basics/regex.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"

namespace takt {
namespace {

TEST(Regex, finds_the_match_and_its_first_group) {
  const auto match = Regex("b(c+)").find("abccd");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->start, 1u);
  EXPECT_EQ(match->end, 4u);
  EXPECT_EQ(match->group_start, 2u);
  EXPECT_FALSE(Regex("b(c+)").find("abccd", 0, true));
}

TEST(Regex, replaces_every_match_and_no_empty_one) {
  EXPECT_EQ(Regex(" {2,}").replaced("a  b    c d", " "), "a b c d");
  EXPECT_EQ(Regex("x*").replaced("axxb", "-"), "a-b");
  EXPECT_EQ(Regex("é.").replaced("aéüb", ""), "ab");
  EXPECT_EQ(Regex("a").replaced("", "b"), "");
}

TEST(Regex, refuses_what_is_no_pattern) { EXPECT_THROW(Regex("("), Error); }

}  // namespace
}  // namespace takt
