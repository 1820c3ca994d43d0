// Blocks that lie in a file: what they hold, how long they live, and what happens where there is no room.
#include "base/memory/spill.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "base/memory/resident.h"
#include "places.h"

namespace takt {
namespace {

constexpr std::size_t block_bytes = std::size_t{4} << 20;

struct Numbers {
  std::uint64_t* data = nullptr;
  std::uint64_t first = 0;
};

/// Blocks full of numbers; each block has others.
std::vector<Numbers> take_blocks(std::size_t count, std::uint64_t first = 0) {
  std::vector<Numbers> blocks;
  for (std::size_t i = 0; i < count; ++i, first += block_bytes) {
    auto* const data = static_cast<std::uint64_t*>(Spill::take(block_bytes));
    if (!data) break;
    for (std::size_t k = 0; k < block_bytes / sizeof(*data); ++k) data[k] = first + k;
    blocks.push_back({data, first});
  }
  return blocks;
}

bool is_as_it_was(const Numbers& block) {
  for (std::size_t k = 0; k < block_bytes / sizeof(*block.data); ++k)
    if (block.data[k] != block.first + k) return false;
  return true;
}

void give_back(const std::vector<Numbers>& blocks) {
  for (const Numbers& block : blocks) EXPECT_TRUE(Spill::give_back(block.data));
}

/// Whether this machine has a disk for it.
bool spills() {
  const Spill spill;
  const auto blocks = take_blocks(2 + spill_memory_bytes / block_bytes);
  const bool has = Spill::bytes_on_disk() > 0;
  give_back(blocks);
  return has;
}

TEST(Spill, keeps_what_blocks_hold_while_most_of_it_is_not_in_memory) {
  if (!spills()) GTEST_SKIP() << "no disk for temporary files";
  std::optional<Spill> spill(std::in_place);
  const auto before = resident_bytes();
  const auto blocks = take_blocks(48);
  ASSERT_EQ(blocks.size(), 48u);
  EXPECT_GE(Spill::bytes_on_disk(), 48 * block_bytes - spill_memory_bytes);
  EXPECT_LT(Spill::bytes_on_disk(), 48 * block_bytes);
  if (before && !is_sanitized()) {  // all but what stays and what has been touched of late; the machine may be busy, so
                                    // it may take a
                                    // while
    const auto limit = *before + static_cast<std::int64_t>(spill_memory_bytes + 8 * spill_resident_bytes);
    for (int i = 0; i < 1000 && *resident_bytes() > limit; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_LT(*resident_bytes(), limit);
  }
  EXPECT_TRUE(std::all_of(blocks.begin(), blocks.end(), is_as_it_was));
  spill.reset();
  EXPECT_TRUE(std::all_of(blocks.begin(), blocks.end(), is_as_it_was));
  give_back(blocks);
  EXPECT_EQ(Spill::bytes_on_disk(), 0u);
}

TEST(Spill, takes_what_is_long_and_only_as_long_as_it_lives) {
  EXPECT_EQ(Spill::take(block_bytes), nullptr);
  int other = 0;
  EXPECT_FALSE(Spill::give_back(&other));
  EXPECT_FALSE(Spill::give_back(nullptr));
  const Spill spill;
  EXPECT_EQ(Spill::take(spill_block_bytes - 1), nullptr);
  void* const block = Spill::take(spill_block_bytes);
  if (!block) GTEST_SKIP() << "no disk for temporary files";
  EXPECT_TRUE(Spill::give_back(block));
}

TEST(Spill, blocks_that_went_make_room_in_memory_for_others) {
  if (!spills()) GTEST_SKIP() << "no disk for temporary files";
  const Spill spill;
  for (int i = 0; i < 20; ++i) {
    const auto blocks = take_blocks(spill_memory_bytes / block_bytes);
    EXPECT_EQ(Spill::bytes_on_disk(), 0u);
    give_back(blocks);
  }
}

TEST(Spill, where_files_may_not_grow_blocks_are_left_to_the_usual_new) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{std::size_t{1} << 20, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  {
    const Spill spill;
    const auto blocks = take_blocks(8);
    EXPECT_LE(blocks.size(), spill_memory_bytes / block_bytes);  // those that need no file
    EXPECT_EQ(Spill::bytes_on_disk(), 0u);
    give_back(blocks);
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
}

TEST(Spill, serves_several_threads_at_once) {
  const Spill spill;
  std::vector<std::thread> threads;
  std::vector<int> damaged(3);
  for (std::size_t t = 0; t < damaged.size(); ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 4; ++round) {
        const auto blocks = take_blocks(4, (t + 1) << 40);
        for (const Numbers& block : blocks) damaged[t] += !is_as_it_was(block);
        give_back(blocks);
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(damaged, std::vector<int>(3));
  EXPECT_EQ(Spill::bytes_on_disk(), 0u);
}

}  // namespace
}  // namespace takt
