#include "base/files/file_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "base/files/temporary_folder.h"

namespace takt {
namespace {

/// What a new process says of the lock: 0 it got it, 1 it did not.
int taken_elsewhere(const std::filesystem::path& path) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(FileLock(path).is_held() ? 0 : 1);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(FileLock, one_holds_it_whether_the_other_is_of_this_process_or_another) {
  const TemporaryFolder folder("takt-test-");
  const auto path = folder.path() / "journal";
  std::optional<FileLock> first(path);
  EXPECT_TRUE(first->is_held());
  EXPECT_FALSE(FileLock(path).is_held());
  EXPECT_EQ(taken_elsewhere(path), 1);
  first.reset();
  EXPECT_EQ(taken_elsewhere(path), 0);
  EXPECT_TRUE(FileLock(path).is_held());
}

TEST(FileLock, the_death_of_its_process_gives_it_back) {
  const TemporaryFolder folder("takt-test-");
  const auto path = folder.path() / "journal";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const FileLock held(path);
    if (::write(ready[1], held.is_held() ? "y" : "n", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  ::close(ready[0]), ::close(ready[1]);
  EXPECT_EQ(answer, 'y');
  EXPECT_FALSE(FileLock(path).is_held());
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(FileLock(path).is_held());
}

TEST(FileLock, changes_nothing_in_the_file) {
  const TemporaryFolder folder("takt-test-");
  const auto path = folder.path() / "journal";
  write_file_atomically(path, "what stands there");
  { const FileLock held(path); }
  EXPECT_EQ(read_file(path), "what stands there");
}

TEST(FileLock, says_what_it_cannot_write) {
  const TemporaryFolder folder("takt-test-");
  try {
    const FileLock lock(folder.path() / "missing" / "journal");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_NE(std::string(error.what()).find("missing/journal"), std::string::npos);
  }
}

}  // namespace
}  // namespace takt
