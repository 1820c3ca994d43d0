#include "cli/line/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system/version.h"

namespace takt {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

TEST(Version, tells_programs_of_one_version_apart) {
  const std::string text = version_text();
  EXPECT_THAT(text, StartsWith(std::string("takt ") + version + "\n"));
  EXPECT_THAT(text, HasSubstr(std::string("\nbuild     ") + build_type));
  EXPECT_THAT(text, MatchesRegex("(.|\n)*\nruntimes  (.+, )?sim\n"));
}

TEST(Version, a_commit_is_hexadecimal_or_not_known) { EXPECT_THAT(commit, MatchesRegex("|[0-9a-f]{10,}")); }

}  // namespace
}  // namespace takt
