// Which files of a command line are read, written and gone on with, and which of them may not be one.
#include "cli/line/command_files.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "base/files/file_roles.h"
#include "test_folder.h"

namespace takt {
namespace {

class CommandFilesTest : public testing::Test {
 protected:
  ~CommandFilesTest() override { forget_file_roles(); }

  /// An option for a path that was given; `words` only where they are not the path.
  void given(Option option, const std::filesystem::path& path, std::vector<std::string> words = {}) {
    std::filesystem::path target = path;
    if (words.empty()) words = {path.string()};
    files_.add(option, &target, words);
  }
  /// An option for a text that may have files inside.
  void given_text(Option option, const std::string& text) {
    std::string target = text;
    files_.add(option, &target, std::vector{text});
  }
  std::string refusal() const {
    try {
      files_.check();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  TestFolder folder_;
  CommandFiles files_;
};

const Option read_option{.names = "--in", .names_a_file = true};
const Option write_option{.names = "-o,--out", .names_a_file = true, .makes = Makes::file};
const Option other_option{.names = "--other", .names_a_file = true, .makes = Makes::file};
const Option unasked_option{.names = "--later", .names_a_file = true, .makes = Makes::unasked_file};
const Option folder_option{.names = "--dir", .names_a_file = true, .makes = Makes::folder};

TEST_F(CommandFilesTest, one_file_is_not_read_and_written) {
  folder_.write("a", "x");
  given(read_option, folder_ / "a");
  given(write_option, folder_ / "a");
  EXPECT_EQ(refusal(), "--out would overwrite '" + at("a") + "', which --in reads; give --out another file");
}

TEST_F(CommandFilesTest, what_is_not_there_is_not_read) {
  given(read_option, folder_ / "a");
  given(write_option, folder_ / "a");
  EXPECT_EQ(refusal(), "accepted");
}

TEST_F(CommandFilesTest, one_file_is_not_written_twice) {
  given(other_option, folder_ / "a");
  given(write_option, folder_ / "a");
  EXPECT_EQ(refusal(), "--other and --out would write the same file, '" + at("a") + "'; give each a separate one");
}

TEST_F(CommandFilesTest, different_files_are_accepted) {
  folder_.write("a", "x");
  folder_.write("b", "x");
  given(read_option, folder_ / "a");
  given(write_option, folder_ / "b");
  given(other_option, folder_ / "c");
  given(unasked_option, folder_ / "d");
  EXPECT_EQ(refusal(), "accepted");
}

TEST_F(CommandFilesTest, a_file_made_later_counts_too_and_a_folder_does_not) {
  folder_.write("a", "x");
  given(read_option, folder_ / "a");
  given(folder_option, folder_ / "a");
  EXPECT_EQ(refusal(), "accepted");
  given(unasked_option, folder_ / "a");
  EXPECT_EQ(refusal(), "--later would overwrite '" + at("a") + "', which --in reads; give --later another file");
}

TEST_F(CommandFilesTest, the_journal_beside_what_is_made_counts_too) {
  folder_.write("a.journal", "x");
  Option journalled = write_option;
  journalled.beside = ".journal";
  given(read_option, folder_ / "a.journal");
  given(journalled, folder_ / "a");
  EXPECT_EQ(refusal(), "the journal of --out would overwrite '" + at("a.journal") +
                           "', which --in reads; give the journal of --out another file");
}

TEST_F(CommandFilesTest, a_journal_beside_what_is_read_is_none) {
  folder_.write("a", "x");
  folder_.write("a.journal", "x");
  Option journalled = read_option;
  journalled.beside = ".journal";
  given(journalled, folder_ / "a");
  given(write_option, folder_ / "a.journal");
  EXPECT_EQ(refusal(), "accepted");
}

TEST_F(CommandFilesTest, weights_beside_an_ir_belong_to_it) {
  folder_.write("m.xml", "x");
  folder_.write("m.bin", "x");
  given(read_option, folder_ / "m.xml");
  given(write_option, folder_ / "m.bin");
  EXPECT_EQ(refusal(), "--out would overwrite '" + at("m.bin") + "', which --in reads; give --out another file");
}

TEST_F(CommandFilesTest, weights_are_written_beside_an_ir) {
  given(write_option, folder_ / "m.xml");
  given(other_option, folder_ / "m.bin");
  EXPECT_EQ(refusal(), "--other and --out would write the same file, '" + at("m.bin") + "'; give each a separate one");
}

TEST_F(CommandFilesTest, a_path_that_keeps_its_default_is_read) {
  folder_.write("usual", "x");
  std::filesystem::path target = folder_ / "usual";
  files_.add(read_option, &target, {});
  given(write_option, folder_ / "usual");
  EXPECT_EQ(refusal(), "--out would overwrite '" + at("usual") + "', which --in reads; give --out another file");
}

TEST_F(CommandFilesTest, nothing_is_written_to_an_empty_path) {
  given(write_option, "", {""});
  given(other_option, "", {""});
  EXPECT_EQ(refusal(), "accepted");
}

TEST_F(CommandFilesTest, files_are_found_inside_of_a_text) {
  for (const char* text : {"x:A;ids:b.npy", "ids:b.npy;x:A", "A=2ms", "b.npy,A,c", "A"}) {
    const TestFolder folder;
    const std::string file = folder.write("a.npy", "x").string();
    std::string words = text;
    words.replace(words.find('A'), 1, file);
    CommandFiles files;
    std::string target = words;
    files.add(read_option, &target, std::vector{words});
    std::filesystem::path written = file;
    files.add(write_option, &written, std::vector{file});
    EXPECT_THROW(files.check(), UsageError) << text;
  }
}

TEST_F(CommandFilesTest, a_text_that_names_no_file_is_not_looked_at) {
  folder_.write("a", "x");
  given_text({.names = "--word"}, at("a"));
  given(write_option, folder_ / "a");
  EXPECT_EQ(refusal(), "accepted");
}

TEST_F(CommandFilesTest, a_log_goes_on_in_a_log_only) {
  const std::string refused =
      "--log-file '" + at("log") + "': the file exists and is not a log of takt; give another file";
  for (const char* begin :
       {"", "2026", "2026-11-28T03:13:05", "2026-11-28T03:13:05.123 info\n", "0909-09-09T09:09:09"}) {
    folder_.write("log", begin);
    CommandFiles files;
    files.add_log(folder_ / "log", "--log-file");
    EXPECT_NO_THROW(files.check()) << begin;
  }
  for (const char* begin :
       {"x", "2026-11-28 03:13:05", "2026-11-28T03:13:0x", "2026-11-28T03:13:0:", "/026-11-28T03"}) {
    folder_.write("log", begin);
    CommandFiles files;
    files.add_log(folder_ / "log", "--log-file");
    try {
      files.check();
      ADD_FAILURE() << begin;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), refused);
    }
  }
}

TEST_F(CommandFilesTest, a_log_is_written_too) {
  folder_.write("a", "2026-11-28T03:13:05");
  given(read_option, folder_ / "a");
  files_.add_log("", "--log-file");
  EXPECT_EQ(refusal(), "accepted");
  files_.add_log(folder_ / "a", "--log-file");
  EXPECT_EQ(refusal(), "--log-file would overwrite '" + at("a") + "', which --in reads; give --log-file another file");
}

// Of files that no option names: a pipeline's YAML may name what an option writes.
TEST_F(CommandFilesTest, what_was_checked_is_kept_while_the_command_works) {
  folder_.write("read", "x");
  folder_.write("written", "x");
  given(read_option, folder_ / "read");
  given(write_option, folder_ / "written");
  EXPECT_EQ(refusal(), "accepted");
  EXPECT_THROW(check_may_write(folder_ / "read"), Error);
  EXPECT_THROW(check_may_read(folder_ / "written"), Error);
  EXPECT_NO_THROW(check_may_read(folder_ / "read"));
  EXPECT_NO_THROW(check_may_write(folder_ / "written"));
  // The next command line begins anew.
  EXPECT_NO_THROW(CommandFiles().check());
  EXPECT_NO_THROW(check_may_write(folder_ / "read"));
  EXPECT_NO_THROW(check_may_read(folder_ / "written"));
}

}  // namespace
}  // namespace takt
