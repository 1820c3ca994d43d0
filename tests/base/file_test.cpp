#include "base/files/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "base/basics/error.h"
#include "base/files/block_file.h"
#include "base/files/file_lock.h"
#include "base/files/folder_lock.h"
#include "base/files/journal.h"
#include "base/memory/mapped_ranges.h"
#include "refused.h"
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
  EXPECT_EQ(
      refused_with([&] { read_whole(file.text(), []() -> int { throw std::runtime_error("what a zero led to"); }); }),
      "cannot read '" + (folder_ / "m").string() +
          "': it became shorter, or its disk failed, while it was read; read it again when no program writes it");
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
  const auto in_quotes = [&](const std::string& name) { return "'" + (folder.path() / name).string() + "'"; };
  const auto file = [&](const std::string& name) {
    return refused_with([&] { check_writable_file(folder.path() / name); });
  };
  const auto inside = [&](const std::string& name) {
    return refused_with([&] { check_writable_folder(folder.path() / name); });
  };
  EXPECT_EQ(file("none/new"), "cannot write " + in_quotes("none/new") + ": its folder does not exist");
  EXPECT_EQ(file("."), "cannot write " + in_quotes(".") + ": is a folder");
  EXPECT_EQ(file(""), "cannot write " + in_quotes("") + ": no such file");
  EXPECT_EQ(file("file/new"), "cannot write " + in_quotes("file/new") + ": a part of the path is not a folder");
  EXPECT_EQ(inside("file"), "cannot write to " + in_quotes("file") + ": a part of the path is not a folder");
  EXPECT_EQ(inside("file/new"), "cannot write to " + in_quotes("file/new") + ": a part of the path is not a folder");
  EXPECT_EQ(refused_with([&] { make_folders(folder / "file/new"); }),
            "cannot create the folder " + in_quotes("file/new") + ": a part of the path is not a folder");
}

TEST(ReasonOf, has_words_for_what_happens_to_files) {
  for (const auto& [error, words] :
       {std::pair(ENOENT, "no such file"), std::pair(EISDIR, "is a folder"),
        std::pair(ENOTDIR, "a part of the path is not a folder"), std::pair(EACCES, "permission denied"),
        std::pair(EROFS, "read-only file system"), std::pair(ENOSPC, "no space left on the device"),
        std::pair(EFBIG, "larger than the system or its limit (ulimit -f) allows"),
        std::pair(ENAMETOOLONG, "the name is too long"), std::pair(EIO, "Input/output error")})
    EXPECT_EQ(reason_of(error), words);
}

TEST(InputFile, is_read_in_pieces_skipped_and_begun_again) {
  const TestFolder folder;
  InputFile file(folder.write("a", "0123456789"));
  std::string piece(4, '\0');
  EXPECT_EQ(file.size(), 10u);
  EXPECT_EQ(file.read(piece), 4u);
  EXPECT_TRUE(file.skip(3));
  EXPECT_EQ(file.read(piece), 3u);
  EXPECT_EQ(piece.substr(0, 3), "789");
  EXPECT_EQ(file.read(piece), 0u);
  EXPECT_TRUE(file.rewind());
  EXPECT_EQ(file.read(piece), 4u);
  EXPECT_EQ(piece, "0123");
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "ab", 2), 2);
  ::close(ends[1]);
  InputFile pipe("/dev/fd/" + std::to_string(ends[0]));
  ::close(ends[0]);
  EXPECT_EQ(pipe.size(), std::nullopt);
  EXPECT_FALSE(pipe.skip(1) || pipe.rewind());
  EXPECT_EQ(pipe.read(piece), 2u);
}

/// 0: all of it works in a process whose next file gets the number 0.
int files_without_standard_input(const TestFolder& folder) {
  const auto path = folder.write("a", "{}\n");
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(0);
    const std::string all = refused_with([&] {
      write_file_atomically(folder / "b", "b");
      if (read_file(folder / "b") != "b" || MappedFile(folder / "b").text() != "b") throw std::runtime_error("other");
      InputFile(folder / "b").size();
      check_writable_file("/dev/null");
      write_file_atomically("/dev/null", "b");
      Journal(path).append("{}");
      BlockWriter(folder / "c", "magic", "m").flush();
      if (!FileLock(folder / "lock").is_held()) throw std::runtime_error("not held");
      if (::fcntl(0, F_GETFD) != -1) throw std::runtime_error("left open");
      const FolderLock lock(folder.path());
    });
    if (all != "accepted") std::fprintf(stderr, "%s\n", all.c_str());
    ::_exit(all == "accepted" && ::fcntl(0, F_GETFD) == -1 ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(Files, may_have_the_first_number_of_all) {
  const TestFolder folder;
  EXPECT_EQ(files_without_standard_input(folder), 0);
  EXPECT_EQ(read_file(folder / "a"), "{}\n{}\n");
  EXPECT_EQ(read_file(folder / "b"), "b");
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
  EXPECT_EQ(refused_with([&] { read_file(folder / "b"); }),
            "cannot read '" + (folder / "b").string() + "': no such file");
  listen_to_files(nullptr);
  read_file(folder / "a");
  EXPECT_EQ(heard, "wrote a 4; read a 4; ");
}

}  // namespace
}  // namespace takt
