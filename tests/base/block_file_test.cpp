#include "base/files/block_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/basics/error.h"
#include "test_folder.h"

namespace takt {
namespace {

constexpr std::string_view magic = "kind 1\n";

std::string blocks_of(BlockReader& reader) {
  std::string found;
  while (const auto block = reader.next()) found += std::to_string(block->type) + ":" + std::string(block->bytes) + " ";
  return found;
}

TEST(BlockFile, gives_back_what_was_flushed) {
  TestFolder folder;
  BlockWriter writer(folder / "b", magic, "kind ");
  writer.add("one");
  writer.add(" two");
  writer.end_block(7);
  writer.end_block(8);  // an empty one
  {
    BlockReader reader(folder / "b", magic);
    EXPECT_EQ(blocks_of(reader), "");
    EXPECT_FALSE(reader.is_torn());
  }
  writer.flush();
  BlockReader reader(folder / "b", magic);
  EXPECT_EQ(blocks_of(reader), "7:one two 8: ");
}

TEST(BlockFile, ends_before_a_torn_or_damaged_block) {
  TestFolder folder;
  {
    BlockWriter writer(folder / "b", magic, "kind ");
    for (const char* text : {"a block", "another block"}) {
      writer.add(text);
      writer.end_block(1);
    }
    writer.flush();
  }
  const std::string whole = read_file(folder / "b");
  const std::size_t first_end = magic.size() + 16 + 7;
  for (std::size_t size = magic.size(); size < whole.size(); ++size) {
    BlockReader reader(std::string_view(whole).substr(0, size), magic, "cut");
    EXPECT_EQ(blocks_of(reader), size < first_end ? "" : "1:a block ") << size;
    EXPECT_EQ(reader.is_torn(), size != magic.size() && size != first_end) << size;
  }
  for (std::size_t at = first_end; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    BlockReader reader(damaged, magic, "damaged");
    EXPECT_EQ(blocks_of(reader), "1:a block ") << at;
  }
}

TEST(BlockFile, goes_on_behind_damage_when_it_is_asked_to) {
  std::string whole(magic);
  for (const char* text : {"one", "a block that is lost", "three"}) append_block(whole, 1, text);
  const std::size_t lost = magic.size() + 16 + 3, behind = lost + 16 + 20;
  for (std::size_t at = lost; at < behind; ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    BlockReader reader(damaged, magic, "damaged");
    EXPECT_EQ(blocks_of(reader), "1:one ");
    EXPECT_TRUE(reader.is_torn());
    ASSERT_TRUE(reader.skip_damage()) << at;
    EXPECT_EQ(blocks_of(reader), "1:three ");
    EXPECT_FALSE(reader.is_torn());
  }
  BlockReader cut(std::string_view(whole).substr(0, behind - 1), magic, "cut");
  blocks_of(cut);
  EXPECT_FALSE(cut.skip_damage());
  std::string heads(magic);  // each looks like the head of a block of half the file
  for (int i = 0; i < 200'000; ++i) heads += std::string("\1\0\0\0\0\0\x10\0", 8);
  BlockReader hostile(heads, magic, "hostile");
  EXPECT_FALSE(hostile.next() || hostile.skip_damage());
}

TEST(BlockFile, of_another_kind_is_neither_read_nor_replaced) {
  TestFolder folder;
  folder.write("letter", "dear reader");
  EXPECT_THROW(BlockWriter(folder / "letter", magic, "kind "), Error);
  EXPECT_EQ(read_file(folder / "letter"), "dear reader");
  EXPECT_THROW(BlockReader(folder / "letter", magic), Error);
  folder.write("older", "kind 0\nwhat an older version wrote");
  EXPECT_THROW(BlockReader(folder / "older", magic), Error);
  { BlockWriter writer(folder / "older", magic, "kind "); }
  EXPECT_EQ(read_file(folder / "older"), magic);
}

TEST(BlockFile, stands_in_no_folder_and_in_no_place_of_one) {
  TestFolder folder;
  EXPECT_THROW(BlockWriter(folder.path(), magic, "kind "), Error);
  EXPECT_THROW(BlockWriter(folder / "gone/file", magic, "kind "), Error);
}

TEST(BlockFile, a_write_that_fails_leaves_what_was_there) {
  TestFolder folder;
  BlockWriter writer(folder / "b", magic, "kind ");
  writer.add("kept");
  writer.end_block(1);
  writer.flush();
  ::setenv("TAKT_FAIL_WRITE_AFTER", "40", 1);
  writer.add("more than there is room for");
  writer.end_block(2);
  EXPECT_THROW(writer.flush(), Error);
  ::unsetenv("TAKT_FAIL_WRITE_AFTER");
  writer.add("and on");
  writer.end_block(3);
  writer.flush();
  BlockReader reader(folder / "b", magic);
  EXPECT_EQ(blocks_of(reader), "1:kept 3:and on ");
}

TEST(BlockFields, beyond_the_end_are_empty_and_not_ok) {
  BlockFields fields(std::string_view("\x05\0\0\0abc", 7));
  EXPECT_EQ(fields.text(), "");
  EXPECT_FALSE(fields.ok());
  EXPECT_EQ(fields.number<std::uint64_t>(), 0u);
}

}  // namespace
}  // namespace takt
