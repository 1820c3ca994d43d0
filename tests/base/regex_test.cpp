#include "base/basics/regex.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "refused.h"

namespace takt {
namespace {

TEST(Regex, finds_the_match_and_its_first_group) {
  const auto match = Regex("b(c+)").find("abccd");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->start, 1u);
  EXPECT_EQ(match->end, 4u);
  EXPECT_EQ(match->group_start, 2u);
  EXPECT_EQ(match->group_end, 4u);
  EXPECT_FALSE(Regex("b(c+)").find("abccd", 0, true));
  EXPECT_TRUE(Regex("b(c+)").find("abccd", 1, true));
  EXPECT_EQ(Regex("c").find("abccd", 3)->start, 3u);
  const auto without = Regex("a(x)?b()").find("ab");  // the first group is not there, the second is empty
  EXPECT_EQ(without->group_start + without->group_end, 0u);
  EXPECT_EQ(Regex("b").find("ab")->group_end, 0u);
}

TEST(Regex, replaces_every_match_and_no_empty_one) {
  EXPECT_EQ(Regex(" {2,}").replaced("a  b    c d", " "), "a b c d");
  EXPECT_EQ(Regex("x*").replaced("axxb", "-"), "a-b");
  EXPECT_EQ(Regex("é.").replaced("aéüb", ""), "ab");
  EXPECT_EQ(Regex("a").replaced("", "b"), "");
}

TEST(Regex, refuses_what_is_no_pattern) {
  EXPECT_EQ(refused_with([] { Regex("("); }), "pattern '(': missing closing parenthesis (at character 1)");
}

}  // namespace
}  // namespace takt
