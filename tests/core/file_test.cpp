#include "core/file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "core/error.h"
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
