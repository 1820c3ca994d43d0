#include "base/files/block_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <tuple>

#include "base/basics/error.h"
#include "refused.h"
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

// Type and size as 32 bits each, a sum of 64, then the bytes; the sums were worked out by another program.
TEST(BlockFile, lies_in_the_file_as_it_is_described) {
  std::string file;
  append_block(file, 7, "one two three");
  append_block(file, 8, "");
  EXPECT_EQ(file, std::string("\7\0\0\0\x0d\0\0\0\x4f\x68\x45\xec\x3f\xae\xb0\xea", 16) + "one two three" +
                      std::string("\x8\0\0\0\0\0\0\0\x78\x08\x98\xad\x78\x08\x98\xad", 16));
}

TEST(BlockFile, is_found_behind_damage_up_to_the_last_type_and_the_last_byte) {
  for (const auto& [type, text, is_found] :
       {std::tuple(255u, "text", true), std::tuple(256u, "text", false), std::tuple(3u, "", true)}) {
    std::string file(magic);
    append_block(file, 1, "lost");
    file[magic.size() + 16] = 'L';
    append_block(file, type, text);
    BlockReader reader(file, magic, "damaged");
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.skip_damage(), is_found) << type;
    EXPECT_EQ(reader.offset(), magic.size() + (is_found ? 16 + 4 : 0));
    EXPECT_EQ(reader.is_torn(), true);
  }
}

TEST(BlockFile, of_another_kind_is_neither_read_nor_replaced) {
  TestFolder folder;
  folder.write("letter", "dear reader");
  const std::string letter = (folder / "letter").string();
  EXPECT_EQ(refused_with([&] { BlockWriter(letter, magic, "kind "); }),
            letter + ": this is a file of another kind; choose another name");
  EXPECT_EQ(read_file(folder / "letter"), "dear reader");
  const std::string why = ": the file does not start with the expected header; it is of another kind or version";
  EXPECT_EQ(refused_with([&] { BlockReader(folder / "letter", magic); }), letter + why);
  EXPECT_EQ(refused_with([&] { BlockReader("kind 0\n", magic, "bytes"); }), "bytes" + why);
  folder.write("older", "kind 0\nwhat an older version wrote");
  EXPECT_EQ(refused_with([&] { BlockReader(folder / "older", magic); }), (folder / "older").string() + why);
  { BlockWriter writer(folder / "older", magic, "kind "); }
  EXPECT_EQ(read_file(folder / "older"), magic);
}

TEST(BlockFile, stands_in_no_folder_and_in_no_place_of_one) {
  TestFolder folder;
  const auto refusal = [](const std::filesystem::path& path) {
    return refused_with([&] { BlockWriter(path, magic, "kind "); });
  };
  EXPECT_EQ(refusal(folder.path()), "cannot write '" + folder.path().string() + "': is a folder");
  EXPECT_EQ(refusal(folder / "gone/file"),
            "cannot write '" + (folder / "gone/file").string() + "': its folder does not exist");
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
  EXPECT_TRUE(writer.is_pending());
  EXPECT_EQ(refused_with([&] { writer.flush(); }),
            "cannot write '" + (folder / "b").string() + "': no space left on the device");
  EXPECT_FALSE(writer.is_pending());
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
  BlockFields all(std::string_view("\x03\0\0\0abcd\x7f", 9));
  EXPECT_EQ(all.text(), "abc");
  EXPECT_EQ(all.rest(), "d\x7f");
  EXPECT_EQ(all.number<std::uint16_t>(), 0x7f64);
  EXPECT_TRUE(all.ok() && all.empty());
  EXPECT_EQ(all.number<std::uint8_t>(), 0);
  EXPECT_FALSE(all.ok());
}

}  // namespace
}  // namespace takt
