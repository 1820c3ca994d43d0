// What killed programs leave in a folder goes when the next one writes there, and nothing else does.
#include "base/files/abandoned_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>

#include "base/files/file.h"
#include "test_folder.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

/// Another program that has written half of a file, until it is killed or told to go on.
class HalfWritten {
 public:
  explicit HalfWritten(const fs::path& file) {
    std::array<int, 2> begun{}, goes_on{};
    if (::pipe(begun.data()) != 0 || ::pipe(goes_on.data()) != 0) throw std::runtime_error("no pipe");
    child_ = ::fork();
    char told = 0;
    if (child_ == 0) {
      AtomicFile half(file);
      half.append("half");
      if (::write(begun[1], "x", 1) != 1 || ::read(goes_on[0], &told, 1) != 1) ::_exit(1);
      half.append(" and half");
      half.commit();
      ::_exit(0);
    }
    ::close(begun[1]);
    ::close(goes_on[0]);
    if (::read(begun[0], &told, 1) != 1) throw std::runtime_error("it did not begin");
    ::close(begun[0]);
    end_ = goes_on[1];
  }
  ~HalfWritten() {
    kill();
    ::close(end_);
  }
  HalfWritten(const HalfWritten&) = delete;
  HalfWritten& operator=(const HalfWritten&) = delete;

  void kill() {
    if (child_ > 0) ::kill(child_, SIGKILL);
    wait();
  }
  /// How it ended.
  int finish() {
    if (::write(end_, "x", 1) != 1) return -1;
    return wait();
  }

 private:
  int wait() {
    int status = 0;
    if (child_ > 0) ::waitpid(child_, &status, 0);
    child_ = 0;
    return status;
  }
  pid_t child_ = 0;
  int end_ = -1;
};

TEST(AbandonedFile, of_a_killed_program_goes_with_the_next_file_that_is_written_beside_it) {
  const TestFolder folder;
  HalfWritten killed(folder / "a");
  ASSERT_EQ(names_in(folder.path()).size(), 1u);
  killed.kill();
  ASSERT_EQ(names_in(folder.path()).size(), 1u) << "nobody was there to remove it";
  write_file_atomically(folder / "b", "whole");
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"b"});
}

TEST(AbandonedFile, of_a_living_program_stays_and_becomes_its_file) {
  const TestFolder folder;
  HalfWritten living(folder / "a");
  write_file_atomically(folder / "b", "whole");
  EXPECT_EQ(names_in(folder.path()).size(), 2u);
  EXPECT_EQ(living.finish(), 0);
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(read_file(folder / "a"), "half and half");
}

TEST(AbandonedFile, only_files_of_exactly_such_names_go) {
  const TestFolder folder;
  const std::set<std::string> others{".takt-1-2.tmp.bak", ".takt-1.tmp", ".takt-a-2.tmp", ".takt--2.tmp",
                                     "takt-1-2.tmp"};
  for (const std::string& name : others) std::ofstream(folder / name) << "somebody's";
  std::ofstream(folder / "precious") << "kept";
  fs::create_symlink("precious", folder / ".takt-7-0.tmp");
  fs::create_directory(folder / ".takt-7-1.tmp");
  std::ofstream(folder / ".takt-7-2.tmp") << "half";
  write_file_atomically(folder / "b", "whole");
  std::set<std::string> expected = others;
  expected.insert({"b", "precious", ".takt-7-0.tmp", ".takt-7-1.tmp"});
  EXPECT_EQ(names_in(folder.path()), expected);
  EXPECT_EQ(read_file(folder / "precious"), "kept");
}

TEST(AbandonedFile, of_another_user_is_left_alone_whatever_its_group) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const TestFolder folder;
  const fs::path others = folder / ".takt-7-0.tmp", own = folder / ".takt-7-1.tmp";
  std::ofstream(others) << "half";
  std::ofstream(own) << "half";
  ASSERT_EQ(::chown(others.c_str(), 12345, 0), 0);
  ASSERT_EQ(::chown(own.c_str(), 0, 12345), 0);
  EXPECT_EQ(lock_abandoned(others), -1);
  const int file = lock_abandoned(own);
  EXPECT_GE(file, 0);
  ::close(file);
  write_file_atomically(folder / "b", "whole");
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{".takt-7-0.tmp", "b"}));
}

TEST(AbandonedFile, names_are_of_this_process_and_a_number_that_grows) {
  const TestFolder folder;
  std::set<std::string> names;
  for (int turn = 0; turn < 3; ++turn) {
    const UnfinishedFile made = make_unfinished_file(folder.path());
    ASSERT_GE(made.descriptor, 0);
    EXPECT_EQ(made.error, 0);
    EXPECT_EQ(made.path.parent_path(), folder.path());
    const std::string name = made.path.filename().string(), begin = ".takt-" + std::to_string(::getpid()) + "-";
    EXPECT_TRUE(name.starts_with(begin) && name.ends_with(".tmp")) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
    ::close(made.descriptor);
  }
}

TEST(AbandonedFile, a_file_is_locked_by_one_at_a_time) {
  const TestFolder folder;
  const UnfinishedFile own = make_unfinished_file(folder.path());
  ASSERT_GE(own.descriptor, 0);
  EXPECT_EQ(lock_abandoned(own.path), -1);
  ::close(own.descriptor);
  const int file = lock_abandoned(own.path);
  EXPECT_GE(file, 0);
  EXPECT_EQ(lock_abandoned(own.path), -1);
  ::close(file);
}

TEST(AbandonedFile, what_cannot_be_made_says_why) {
  const TestFolder folder;
  const UnfinishedFile made = make_unfinished_file(folder / "missing");
  EXPECT_EQ(made.descriptor, -1);
  EXPECT_EQ(made.error, ENOENT);
}

}  // namespace
}  // namespace takt
