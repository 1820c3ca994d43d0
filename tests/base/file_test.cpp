#include "base/files/file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <thread>

#include "base/basics/error.h"
#include "base/files/folder_lock.h"
#include "base/memory/mapped_ranges.h"
#include "test_folder.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  TestFolder own_;
  fs::path folder_ = own_.path();
};

TEST_F(FileTest, writes_whole_files_and_replaces_old_ones) {
  write_file_atomically(folder_ / "a", "one");
  write_file_atomically(folder_ / "a", "two");
  EXPECT_EQ(read_file(folder_ / "a"), "two");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileTest, an_unfinished_file_leaves_nothing) {
  { AtomicFile(folder_ / "a").append("half"); }
  EXPECT_EQ(files(), 0u);
}

TEST_F(FileTest, a_write_that_fails_half_way_keeps_the_old_file) {
  write_file_atomically(folder_ / "a", "old");
  // In a child, so that the other tests never see the limit.
  pid_t child = fork();
  if (child == 0) {
    setenv("TAKT_FAIL_WRITE_AFTER", "4", 1);
    try {
      AtomicFile file(folder_ / "b");
      file.append("1234");
      file.append("5");
    } catch (const Error& error) {
      bool named = std::string(error.what()).find("no space left") != std::string::npos;
      _exit(named && error.kind() == ErrorKind::io && !fs::exists(folder_ / "b") ? 0 : 2);
    }
    _exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileTest, errors_name_the_path_and_the_reason) {
  auto message = [](auto&& action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([&] { read_file(folder_ / "none"); }),
            "cannot read '" + (folder_ / "none").string() + "': no such file");
  EXPECT_EQ(message([&] { read_file(folder_); }), "cannot read '" + folder_.string() + "': is a folder");
  EXPECT_EQ(message([&] { write_file_atomically(folder_, "x"); }),
            "cannot write '" + folder_.string() + "': is a folder");
  EXPECT_EQ(message([&] { write_file_atomically(folder_ / "no" / "b", "x"); }),
            "cannot write '" + (folder_ / "no" / "b").string() + "': its folder does not exist");
}

TEST_F(FileTest, mapped_files_have_zeros_behind_them) {
  for (std::size_t size : {0ul, 1ul, 4095ul, 4096ul, 4097ul}) {
    write_file_atomically(folder_ / "m", std::string(size, 'x'));
    MappedFile file(folder_ / "m");
    ASSERT_EQ(file.text().size(), size);
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(file.text().data()[size + i], '\0');
  }
}

TEST_F(FileTest, a_mapped_file_that_shrinks_reads_as_zeros_and_is_refused_and_ends_nobody) {
  const std::size_t size = std::size_t{1} << 22;
  std::vector<std::thread> readers;
  std::atomic<int> refused{0}, wrong{0};
  for (int i = 0; i < 4; ++i)
    readers.emplace_back([&, i] {
      const fs::path path = folder_ / ("m" + std::to_string(i));
      write_file_atomically(path, std::string(size, 'x'));
      const MappedFile file(path), other(path);
      const auto sum_up = [&] {
        if (std::count(file.text().begin(), file.text().begin() + 5000, 'x') != 5000) ++wrong;
        fs::resize_file(path, 4096 + 7);
        return std::count(file.text().begin(), file.text().end(), 'x') + other.text().back();
      };
      try {
        if (sum_up() != 4096 + 7) ++wrong;
        read_whole(file.text(), sum_up);
      } catch (const Error& error) {
        refused += std::string(error.what()).find("became shorter") != std::string::npos;
      }
    });
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(refused, 4);
  EXPECT_EQ(wrong, 4) << "the second time the file is short from the beginning";
}

TEST_F(FileTest, only_a_file_that_became_shorter_is_refused) {
  for (const bool grows : {true, false}) {
    write_file_atomically(folder_ / "m", std::string(10'000, 'x'));
    const MappedFile file(folder_ / "m");
    if (grows)
      std::ofstream(folder_ / "m", std::ios::app) << "more";
    else
      write_file_atomically(folder_ / "m", "another file of this name");
    EXPECT_EQ(read_whole(file.text(), [&] { return std::count(file.text().begin(), file.text().end(), 'x'); }), 10'000);
  }
  write_file_atomically(folder_ / "m", std::string(10'000, 'x'));
  const MappedFile file(folder_ / "m");
  fs::resize_file(folder_ / "m", 9'999);
  EXPECT_THROW(read_whole(file.text(), []() -> int { throw std::runtime_error("what a zero led to"); }), Error);
}

TEST_F(FileTest, a_replaced_file_keeps_its_permissions) {
  write_file_atomically(folder_ / "a", "old");
  const auto own = fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read;
  fs::permissions(folder_ / "a", own);
  write_file_atomically(folder_ / "a", "new");
  EXPECT_EQ(fs::status(folder_ / "a").permissions(), own);
}

TEST_F(FileTest, the_names_of_files_that_stay_are_in_nobodys_way) {
  const auto taken = [&](int number) {
    return folder_ / (".takt-" + std::to_string(::getpid()) + "-" + std::to_string(number) + ".tmp");
  };
  for (int i = 0; i < 200; ++i) fs::create_directory(taken(i));
  write_file_atomically(folder_ / "a", "whole");
  EXPECT_EQ(read_file(folder_ / "a"), "whole");
  EXPECT_EQ(files(), 201u) << "and what is no file is left alone";
}

TEST_F(FileTest, a_file_that_may_not_be_written_is_not_replaced_either) {
  write_file_atomically(folder_ / "mine", "kept");
  fs::permissions(folder_ / "mine", fs::perms::owner_read);
  fs::permissions(folder_, fs::perms::all);
  fs::create_directory(folder_ / "closed");
  fs::permissions(folder_ / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  const pid_t child = fork();
  if (child == 0) {  // who may do everything becomes somebody who may not
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) _exit(77);
    const auto is_refused = [](auto&& action) {
      try {
        action();
      } catch (const Error& error) {
        return std::string(error.what()).find("permission denied") != std::string::npos;
      }
      return false;
    };
    if (!is_refused([&] { write_file_atomically(folder_ / "mine", "new"); })) _exit(2);
    if (!is_refused([&] { check_writable_file(folder_ / "mine"); })) _exit(3);
    if (!is_refused([&] { check_writable_folder(folder_ / "closed" / "new"); })) _exit(4);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "the system lets nobody become somebody else here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_file(folder_ / "mine"), "kept");
  EXPECT_EQ(files(), 2u);
}

TEST_F(FileTest, a_limit_on_the_size_of_files_is_an_error_that_says_so) {
  const pid_t child = fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{20, 20};
    ::setrlimit(RLIMIT_FSIZE, &small);
    try {
      write_file_atomically(folder_ / "b", std::string(100, 'x'));
    } catch (const Error& error) {
      _exit(std::string(error.what()).find("ulimit -f") != std::string::npos ? 0 : 2);
    }
    _exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(files(), 0u);
}

TEST_F(FileTest, a_folder_is_held_by_one_at_a_time) {
  auto first = std::make_unique<FolderLock>(folder_);
  std::atomic<bool> is_held{false};
  std::jthread second([&] {
    const FolderLock lock(folder_);
    is_held = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(is_held);
  first.reset();
  second.join();
  EXPECT_TRUE(is_held);
  EXPECT_EQ(files(), 0u);
}

TEST_F(FileTest, a_link_keeps_pointing_at_the_file_that_is_replaced) {
  write_file_atomically(folder_ / "target", "old");
  fs::create_symlink(folder_ / "target", folder_ / "link");
  write_file_atomically(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "target"), "new");
}

TEST(CheckWritable, refuses_what_writing_would_and_leaves_nothing) {
  const TestFolder folder;
  check_writable_file(folder / "new");
  check_writable_folder(folder / "a");
  check_writable_folder(folder / "a/b");
  check_writable_file("/dev/null");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  folder.write("file", "kept");
  check_writable_file(folder / "file");
  EXPECT_EQ(read_file(folder / "file"), "kept");
  EXPECT_THROW(check_writable_file(folder / "none/new"), Error);
  EXPECT_THROW(check_writable_file(folder.path()), Error) << "a folder";
  EXPECT_THROW(check_writable_file(folder / "file/new"), Error);
  EXPECT_THROW(check_writable_folder(folder / "file"), Error);
  EXPECT_THROW(check_writable_folder(folder / "file/new"), Error);
}

TEST(ListenToFiles, hears_of_whole_reads_and_writes) {
  static std::string heard;
  heard.clear();
  listen_to_files([](std::string_view verb, const std::filesystem::path& path, std::size_t bytes) {
    heard += std::string(verb) + " " + path.filename().string() + " " + std::to_string(bytes) + "; ";
  });
  const TestFolder folder;
  folder.write("a", "four");
  read_file(folder / "a");
  EXPECT_THROW(read_file(folder / "b"), Error);
  listen_to_files(nullptr);
  read_file(folder / "a");
  EXPECT_EQ(heard, "wrote a 4; read a 4; ");
}

}  // namespace
}  // namespace takt
