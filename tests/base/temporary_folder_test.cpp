#include "base/files/temporary_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>

#include "base/basics/error.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

// Nobody else's folders begin so.
const std::string prefix = "takt-test-killed-" + std::to_string(::getpid());

/// Another program that has a folder with a file in it, until it is killed.
class OtherProgram {
 public:
  OtherProgram() {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    child_ = ::fork();
    if (child_ == 0) {
      const TemporaryFolder folder(prefix);
      std::ofstream(folder.path() / "weights") << "many";
      const std::string path = folder.path().string() + "\n";
      if (::write(ends[1], path.data(), path.size()) < 0) ::_exit(1);
      for (;;) ::pause();
    }
    ::close(ends[1]);
    std::string told;
    for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\n';) told += c;
    ::close(ends[0]);
    folder_ = told;
  }
  ~OtherProgram() { kill(); }
  void kill() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = 0;
  }
  const fs::path& folder() const { return folder_; }

 private:
  pid_t child_ = 0;
  fs::path folder_;
};

TEST(TemporaryFolder, is_removed_with_all_that_is_in_it) {
  fs::path path;
  {
    const TemporaryFolder folder(prefix);
    path = folder.path();
    fs::create_directories(path / "a/b");
    std::ofstream(path / "a/b/c") << "text";
    EXPECT_TRUE(fs::exists(path / "a/b/c"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, of_a_killed_program_goes_when_the_next_one_is_made_and_of_a_living_one_stays) {
  OtherProgram killed, living;
  ASSERT_TRUE(fs::exists(killed.folder() / "weights"));
  const TemporaryFolder own(prefix);
  killed.kill();
  ASSERT_TRUE(fs::exists(killed.folder() / "weights")) << "nobody was there to remove it";
  const TemporaryFolder next(prefix);
  EXPECT_FALSE(fs::exists(killed.folder()));
  EXPECT_FALSE(fs::exists(killed.folder().string() + ".held"));
  EXPECT_TRUE(fs::exists(living.folder() / "weights"));
  EXPECT_TRUE(fs::exists(own.path()));
  EXPECT_NE(own.path(), next.path());
}

TEST(TemporaryFolder, of_others_that_lock_nothing_stay) {
  const TemporaryFolder own(prefix);
  const fs::path foreign = own.path().parent_path() / (prefix + "-theirs");
  fs::create_directory(foreign);
  { const TemporaryFolder next(prefix); }
  EXPECT_TRUE(fs::exists(foreign));
  fs::remove(foreign);
}

TEST(TemporaryFolder, leaves_nothing_beside_itself) {
  const auto count = [] {
    const fs::directory_iterator entries(fs::temp_directory_path());
    return std::count_if(begin(entries), end(entries), [](const fs::directory_entry& entry) {
      return entry.path().filename().string().starts_with(prefix);
    });
  };
  { const TemporaryFolder folder(prefix); }
  EXPECT_EQ(count(), 0);
}

TEST(TemporaryFolder, that_cannot_be_made_says_what_to_set) {
  const std::string long_name(300, 'n');
  try {
    const TemporaryFolder folder(long_name);
    ADD_FAILURE() << "made " << folder.path();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_NE(std::string(error.what()).find("set TMPDIR to a writable folder"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace takt
