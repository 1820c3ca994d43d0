#include "base/system/busy.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace takt {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Busy, names_who_used_most_of_it_and_how_much) {
  BusyMachine busy;
  busy.others = 1.4, busy.processors = 2, busy.watched = 10s;
  busy.programs = {{"python3", 1, {12}, 9500ms}, {"cc1plus", 4, {1, 2, 3, 4}, 4s}, {"sshd", 1, {7}, 500ms}};
  EXPECT_EQ(to_string(busy),
            "other programs used 1.40 of 2 CPUs during the measurements: python3 (process 12) 0.95, cc1plus (4 "
            "processes) 0.40; times are longer than on an idle machine")
      << "sshd is less than a tenth of it";
  EXPECT_THAT(to_string(busy, "prediction"), HasSubstr("1.40 of 2 CPUs during the prediction: python3"));
  EXPECT_DOUBLE_EQ(busy.share(), 0.7);
}

TEST(Busy, three_programs_at_most_and_a_name_in_one_line) {
  BusyMachine busy;
  busy.others = 1, busy.watched = 1s;
  for (const char* name : {"a\nb", "c", "d", "e"}) busy.programs.push_back({name, 1, {}, 250ms});
  EXPECT_THAT(to_string(busy), HasSubstr("of 1 CPU during the measurements: a\\x0ab 0.25, c 0.25, d 0.25; times"));
}

TEST(Busy, where_nobody_is_shown_it_says_so) {
  BusyMachine busy;
  busy.others = 3, busy.processors = 2, busy.watched = 1s;
  EXPECT_THAT(to_string(busy),
              HasSubstr("used 3.00 of 2 CPUs during the measurements (the system does not show which)"));
  EXPECT_DOUBLE_EQ(busy.share(), 1) << "processes that may run elsewhere, too, cannot take more than all";
}

TEST(Busy, nothing_is_said_of_a_moment) { EXPECT_EQ(BusyWatch().found(), std::nullopt); }

/// A process that counts until it is killed.
pid_t start_counting() {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    volatile bool goes_on = true;
    while (goes_on) {
    }
  }
  return child;
}

TEST(Busy, own_children_are_nobody_else) {
  BusyWatch watch;
  const pid_t child = start_counting();
  std::this_thread::sleep_for(400ms);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const auto busy = watch.found();
  const auto programs = busy ? busy->programs : std::vector<ProgramTime>();
  EXPECT_THAT(programs, Not(Contains(Field(&ProgramTime::ids, Contains(child)))));
}

}  // namespace
}  // namespace takt
