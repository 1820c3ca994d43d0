#include "core/large_blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/disk_memory.h"
#include "test_folder.h"

namespace takt {
namespace {

constexpr std::size_t one_mebibyte = std::size_t{1} << 20;

TEST(LargeBlocks, the_folder_of_the_command_comes_first) {
  const auto folders = folders_for_large_blocks("here");
  ASSERT_GE(folders.size(), 2u);
  EXPECT_EQ(folders.front(), "here");
  EXPECT_EQ(folders_for_large_blocks().size() + 1, folders.size());
}

// What the program says once holds until it ends, so this is one test.
TEST(LargeBlocks, lie_on_a_disk_once_that_was_said_and_some_are_in_use) {
  const TestFolder folder;
  if (!DiskMemory::in(std::vector{folder.path()})) GTEST_SKIP() << folder.path() << " is not on a disk";
  EXPECT_EQ(new_large_block(64 * one_mebibyte), nullptr);
  keep_large_blocks_on_disk(std::vector{folder.path()});
  EXPECT_EQ(new_large_block(4 * one_mebibyte), nullptr);  // of a small job
  EXPECT_EQ(new_large_block(4 * one_mebibyte), nullptr);
  void* const block = new_large_block(8 * one_mebibyte);
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, 8 * one_mebibyte);
  EXPECT_EQ(new_large_block(one_mebibyte / 16), nullptr);  // too small to be worth a page of its own
  std::vector<char> other(one_mebibyte);
  EXPECT_FALSE(free_large_block(other.data()));
  EXPECT_FALSE(free_large_block(nullptr));
  EXPECT_TRUE(free_large_block(block));
}

}  // namespace
}  // namespace takt
