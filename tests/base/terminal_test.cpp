#include "base/table/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace takt {
namespace {

/// A descriptor that is no terminal, and an environment that says nothing.
class ScreenOf : public testing::Test {
 protected:
  void SetUp() override { ::unsetenv("COLUMNS"), ::unsetenv("NO_COLOR"); }
  void TearDown() override { ::unsetenv("COLUMNS"), ::close(file_); }
  const int file_ = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
};

TEST_F(ScreenOf, what_is_no_terminal_has_80_columns_and_no_colour) {
  const Screen screen = screen_of(file_);
  EXPECT_EQ(screen.width, 80u);
  EXPECT_FALSE(screen.is_terminal);
  EXPECT_FALSE(screen.colour);
}

TEST_F(ScreenOf, the_environment_says_how_wide_it_is_within_reason) {
  ::setenv("COLUMNS", "132", 1);
  EXPECT_EQ(screen_of(file_).width, 132u);
  ::setenv("COLUMNS", "5", 1);
  EXPECT_EQ(screen_of(file_).width, 40u);
  for (const auto& [columns, width] :
       {std::pair("39", 40u), {"40", 40u}, {"1000", 1000u}, {"1001", 1000u}, {"0", 80u}}) {
    ::setenv("COLUMNS", columns, 1);
    EXPECT_EQ(screen_of(file_).width, width) << columns;
  }
  ::setenv("COLUMNS", "wide", 1);
  EXPECT_EQ(screen_of(file_).width, 80u);
}

TEST(Painted, is_the_text_itself_without_colour) {
  EXPECT_EQ(painted("x", Paint::bad, false), "x");
  EXPECT_EQ(painted("x", Paint::plain, true), "x");
  EXPECT_EQ(painted("x", Paint::good, true), "\x1b[32mx\x1b[0m");
  EXPECT_EQ(painted("x", Paint::bold, true), "\x1b[1mx\x1b[0m");
  EXPECT_EQ(painted("x", Paint::faint, true), "\x1b[2mx\x1b[0m");
  EXPECT_EQ(painted("", Paint::good, true), "");
}

}  // namespace
}  // namespace takt
