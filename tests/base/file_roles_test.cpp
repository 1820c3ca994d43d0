#include "base/files/file_roles.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "base/files/journal.h"
#include "test_folder.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

class FileRoles : public testing::Test {
 protected:
  ~FileRoles() override { forget_file_roles(); }

  fs::path made(const std::string& name) { return folder_.write(name, "contents of " + name); }
  fs::path at(const std::string& name) { return folder_ / name; }

 private:
  TestFolder folder_;
};

template <typename Work>
std::string refusal_of_roles(Work work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

TEST_F(FileRoles, one_file_is_found_by_links_of_either_kind_and_by_other_ways_to_it) {
  const fs::path file = made("a"), other = made("b");
  fs::create_symlink("a", at("soft"));
  fs::create_hard_link(file, at("hard"));
  const fs::path around = file.parent_path() / ".." / file.parent_path().filename() / "a";
  for (const fs::path& path : {file, at("soft"), at("hard"), around}) {
    EXPECT_TRUE(is_one_file(file, path)) << path;
    EXPECT_FALSE(is_one_file(other, path)) << path;
  }
}

TEST_F(FileRoles, a_file_that_is_not_there_yet_is_one_by_its_place) {
  fs::create_directory(at("sub"));
  fs::create_directory_symlink("sub", at("link"));
  fs::create_symlink("sub/new", at("leads_nowhere"));
  EXPECT_TRUE(is_one_file(at("sub/new"), at("link/new")));
  EXPECT_TRUE(is_one_file(at("sub/new"), at("sub/../sub/./new")));
  EXPECT_TRUE(is_one_file(at("sub/new"), at("leads_nowhere")));
  EXPECT_FALSE(is_one_file(at("sub/new"), at("sub/newer")));
  EXPECT_FALSE(is_one_file(at("sub/new"), made("new")));
}

TEST_F(FileRoles, devices_and_folders_are_shared) {
  EXPECT_FALSE(is_one_file("/dev/null", "/dev/null"));
  EXPECT_FALSE(is_one_file(at("."), at(".")));
}

TEST_F(FileRoles, what_will_be_written_over_is_not_read_and_what_stands_there_then_is) {
  const fs::path file = made("model");
  fs::create_hard_link(file, at("hard"));
  keep_from_reading(at("hard"), "--profile");
  EXPECT_EQ(refusal_of_roles([&] { read_file(file); }),
            "'" + file.string() + "' is read, and --profile would overwrite it; give --profile another file");
  EXPECT_NE(refusal_of_roles([&] { MappedFile mapped(file); }), "");
  EXPECT_NE(refusal_of_roles([&] { InputFile input(file); }), "");
  write_file_atomically(file, "written anew");
  EXPECT_EQ(read_file(file), "written anew");
}

TEST_F(FileRoles, what_was_read_is_not_written_over_by_any_writer) {
  const fs::path file = made("model");
  fs::create_symlink("model", at("soft"));
  keep_from_writing(file, "MODEL");
  EXPECT_EQ(refusal_of_roles([&] { write_file_atomically(at("soft"), "x"); }),
            "'" + at("soft").string() + "' would be overwritten, and MODEL reads it; choose another path");
  EXPECT_NE(refusal_of_roles([&] { Journal journal(file); }), "");
  EXPECT_EQ(read_file(file), "contents of model");
  write_file_atomically(at("beside"), "x");
  forget_file_roles();
  write_file_atomically(file, "x");
}

}  // namespace
}  // namespace takt
