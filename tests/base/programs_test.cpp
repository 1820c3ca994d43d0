// Processes of a /proc that is a folder of texts; a tick is 10 ms.
#include "base/system/programs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "base/system/affinity.h"
#include "test_folder.h"

namespace takt {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct SketchedProcess {
  int id, parent = 1;
  std::string name = "busy";
  int ticks = 0, ended_children = 0, started = 100, processor = 0, threads = 1;
};

class SketchedProc {
 public:
  SketchedProc& process(const SketchedProcess& p) {
    // 3 state, 4 parent … 14-15 own times, 16-17 those of ended children … 20 threads … 22 start … 39 processor
    const std::string text =
        fmt::format("{} ({}) R {} 1 1 0 -1 0 0 0 0 0 {} 0 {} 0 20 0 {} 0 {} 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 {} 0 0\n",
                    p.id, p.name, p.parent, p.ticks, p.ended_children, p.threads, p.started, p.processor);
    std::filesystem::create_directories(folder_ / std::to_string(p.id));
    folder_.write(fmt::format("{}/stat", p.id), text);
    return *this;
  }
  void end(int id) { std::filesystem::remove_all(folder_ / std::to_string(id)); }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TestFolder folder_;
};

std::vector<std::string> told(const ProgramWatch& watch) {
  std::vector<std::string> lines;
  for (const auto& program : watch.programs())
    lines.push_back(fmt::format("{} {} ms", to_string(program), program.cpu_time / 1ms));
  return lines;
}

constexpr int self = 99;
int first_core() { return usable_cores().empty() ? 0 : usable_cores().front(); }

SketchedProcess on_core(SketchedProcess process) {
  process.processor = first_core();
  return process;
}

TEST(Programs, are_told_by_what_they_used_since_the_first_look) {
  SketchedProc proc;
  proc.process(on_core({10, 1, "old", 1000})).process(on_core({11, 1, "busy", 5}));
  ProgramWatch watch(proc.path(), self);
  watch.look();
  EXPECT_THAT(told(watch), IsEmpty()) << "the first look only begins";
  proc.process(on_core({10, 1, "old", 1003})).process(on_core({11, 1, "busy", 55}));
  watch.look();
  EXPECT_THAT(told(watch), ElementsAre("busy (process 11) 500 ms", "old (process 10) 30 ms"));
}

TEST(Programs, of_one_name_are_one) {
  SketchedProc proc;
  ProgramWatch watch(proc.path(), self);
  watch.look();
  proc.process(on_core({10, 1, "cc1plus", 7})).process(on_core({11, 1, "cc1plus", 9}));
  watch.look();
  EXPECT_THAT(told(watch), ElementsAre("cc1plus (2 processes) 160 ms"));
}

TEST(Programs, this_one_and_its_children_are_not_among_them) {
  SketchedProc proc;
  ProgramWatch watch(proc.path(), self);
  watch.look();
  proc.process(on_core({self, 1, "takt", 70})).process(on_core({100, self, "child", 70}));
  watch.look();
  EXPECT_THAT(told(watch), IsEmpty());
}

TEST(Programs, what_a_child_started_stays_its_own_when_the_child_has_ended) {
  SketchedProc proc;
  proc.process(on_core({self, 1, "takt", 1}))
      .process(on_core({100, self, "worker", 1}))
      .process(on_core({101, 100, "load", 1}));
  ProgramWatch watch(proc.path(), self);
  watch.look();
  proc.end(100);
  proc.process(on_core({101, 1, "load", 70}));
  watch.look();
  EXPECT_THAT(told(watch), IsEmpty());
  proc.process(on_core({101, 1, "other", 10, 0, 500}));
  watch.look();
  EXPECT_THAT(told(watch), ElementsAre("other (process 101) 100 ms")) << "the number is used again";
}

TEST(Programs, a_grandchild_is_its_own) {
  SketchedProc proc;
  ProgramWatch watch(proc.path(), self);
  watch.look();
  proc.process(on_core({self, 1, "takt", 1}))
      .process(on_core({100, self, "worker", 7}))
      .process(on_core({101, 100, "load", 70}));
  watch.look();
  EXPECT_THAT(told(watch), IsEmpty());
}

TEST(Programs, a_name_may_hold_anything) {
  SketchedProc proc;
  ProgramWatch watch(proc.path(), self);
  watch.look();
  proc.process(on_core({10, 1, ") R 1 (x", 7}));
  watch.look();
  EXPECT_THAT(told(watch), ElementsAre(") R 1 (x (process 10) 70 ms"));
}

TEST(Programs, that_ended_between_two_looks_are_found_at_their_parent) {
  SketchedProc proc;
  proc.process(on_core({10, 1, "make", 1, 500})).process(on_core({11, 10, "cc1", 20}));
  ProgramWatch watch(proc.path(), self);
  watch.look();
  // cc1 used 5 ticks more and ended; another child of 30 ticks came and went unseen.
  proc.end(11);
  proc.process(on_core({10, 1, "make", 1, 500 + 25 + 30}));
  watch.look();
  EXPECT_THAT(told(watch), ElementsAre("children of make 350 ms"));
}

TEST(Programs, that_ended_with_their_parents_are_counted_once) {
  SketchedProc proc;
  proc.process(on_core({10, 1, "make"})).process(on_core({11, 10, "sh", 2})).process(on_core({12, 11, "cc1", 20}));
  ProgramWatch watch(proc.path(), self);
  watch.look();
  proc.process(on_core({12, 11, "cc1", 50}));
  watch.look();
  // cc1 used 1 tick more, and both ended: make's account has 51 of cc1 and 2 of sh.
  proc.end(11), proc.end(12);
  proc.process(on_core({10, 1, "make", 0, 53}));
  watch.look();
  EXPECT_THAT(told(watch), ElementsAre("cc1 (process 12) 300 ms", "children of make 10 ms"));
}

TEST(Programs, a_number_that_is_used_again_is_another_process) {
  SketchedProc proc;
  proc.process(on_core({10, 1, "long", 900, 0, 100}));
  ProgramWatch watch(proc.path(), self);
  watch.look();
  proc.process(on_core({10, 1, "new", 4, 0, 5000}));
  watch.look();
  EXPECT_THAT(told(watch), ElementsAre("new (process 10) 40 ms"));
}

TEST(Programs, on_processors_of_others_do_not_count) {
  const auto mine = usable_cores();
  if (mine.empty() || static_cast<int>(mine.size()) == machine_core_count())
    GTEST_SKIP() << "this process may use every processor";
  SketchedProc proc;
  ProgramWatch watch(proc.path(), self);
  watch.look();
  int elsewhere = 0;
  while (std::binary_search(mine.begin(), mine.end(), elsewhere)) ++elsewhere;
  SketchedProcess far{10, 1, "far", 900};
  far.processor = elsewhere;
  proc.process(far).process(on_core({11, 1, "near", 5}));
  watch.look();
  EXPECT_THAT(told(watch), ElementsAre("near (process 11) 50 ms"));
}

TEST(Programs, of_one_thread_are_where_it_ran_last_and_of_more_may_be_anywhere) {
  if (usable_cores().size() < 2 || usable_cores().front() != 0)
    GTEST_SKIP() << "this process may not use two processors";
  std::vector<std::string> lines;
  std::thread([&] {
    pin_this_thread({usable_cores().back()});  // all but one are others'
    SketchedProc proc;
    ProgramWatch watch(proc.path(), self);
    watch.look();
    SketchedProcess near{10, 1, "near", 5}, first{11, 1, "first", 6}, many{12, 1, "many", 7},
        untold{13, 1, "untold", 8};
    near.processor = usable_cores().back();
    first.processor = 0;
    many.processor = 0, many.threads = 2;
    untold.processor = -1;
    proc.process(near).process(first).process(many).process(untold);
    watch.look();
    lines = told(watch);
  }).join();
  EXPECT_THAT(lines, ElementsAre("untold (process 13) 80 ms", "many (process 12) 70 ms", "near (process 10) 50 ms"));
}

TEST(Programs, own_time_and_that_of_ended_children_are_of_user_and_system) {
  const TestFolder folder;
  const auto write = [&](int user, int system, int ended_user, int ended_system) {
    folder.write("10/stat",
                 fmt::format("10 (make) R 1 1 1 0 -1 0 0 0 0 0 {} {} {} {} 20 0 1 0 100 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
                             "0 17 {} 0 0\n",
                             user, system, ended_user, ended_system, first_core()));
  };
  write(1, 2, 3, 4);
  ProgramWatch watch(folder.path(), self);
  watch.look();
  write(11, 22, 33, 44);  // 30 more of its own, 70 of ended children
  watch.look();
  EXPECT_THAT(told(watch), ElementsAre("children of make 700 ms", "make (process 10) 300 ms"));
}

TEST(Programs, in_words_are_a_name_and_who_it_was) {
  EXPECT_EQ(to_string(ProgramTime{"a", 0, {}, 1s}), "a");
  EXPECT_EQ(to_string(ProgramTime{"a", 1, {7, 8}, 1s}), "a (process 7)");
  EXPECT_EQ(to_string(ProgramTime{"a", 2, {7, 8}, 1s}), "a (2 processes)");
}

TEST(Programs, are_looked_at_again_when_that_is_cheap) {
  SketchedProc proc;
  proc.process(on_core({10, 1, "busy", 5}));
  ProgramWatch watch(proc.path(), self);
  watch.look_if_due();
  proc.process(on_core({10, 1, "busy", 8}));
  for (int turn = 0; turn < 10'000 && told(watch).empty(); ++turn) usleep(1000), watch.look_if_due();
  EXPECT_THAT(told(watch), ElementsAre("busy (process 10) 30 ms"));
}

TEST(Programs, of_broken_or_missing_texts_are_none) {
  const TestFolder folder;
  std::filesystem::create_directories(folder / "12");
  folder.write("12/stat", "12 (cut");
  std::filesystem::create_directories(folder / "13");
  ProgramWatch watch(folder.path(), self), nowhere(folder / "no/such", self);
  for (ProgramWatch* one : {&watch, &nowhere}) {
    one->look(), one->look();
    EXPECT_THAT(told(*one), IsEmpty());
  }
}

// A real program: a grandchild, because children of this process are its own doing.
TEST(Programs, that_really_run_are_seen) {
  if (!std::filesystem::exists("/proc/self/stat")) GTEST_SKIP() << "this system does not tell";
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      alarm(60);  // whatever becomes of the test
      for (volatile std::uint64_t i = 0;;) i = i + 1;
    }
    if (write(pipe_ends[1], &grandchild, sizeof grandchild) < 0) _exit(1);
    _exit(0);
  }
  pid_t busy = 0;
  ASSERT_EQ(read(pipe_ends[0], &busy, sizeof busy), static_cast<ssize_t>(sizeof busy));
  waitpid(child, nullptr, 0);
  ProgramWatch watch;
  watch.look();
  const auto is_seen = [&] {
    const auto programs = watch.programs();
    return std::any_of(programs.begin(), programs.end(), [&](const ProgramTime& program) {
      return std::find(program.ids.begin(), program.ids.end(), busy) != program.ids.end();
    });
  };
  for (int i = 0; i < 3000 && !is_seen(); ++i) usleep(10'000), watch.look();
  EXPECT_TRUE(is_seen());
  kill(busy, SIGKILL);
  close(pipe_ends[0]), close(pipe_ends[1]);
}

}  // namespace
}  // namespace takt
