#include "core/disk_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "core/resident.h"
#include "test_folder.h"

namespace takt {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// One in a folder of the test; those that need it are skipped where temporary files lie in memory.
class DiskMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    memory_ = DiskMemory::in(std::vector{folder_.path()});
    if (!memory_) GTEST_SKIP() << folder_.path() << " is not on a disk";
  }
  std::span<std::uint64_t> numbers(std::size_t count) {
    auto* const first = static_cast<std::uint64_t*>(memory_->allocate(count * sizeof(std::uint64_t)));
    return {first, first == nullptr ? 0 : count};
  }
  static void count_up(std::span<std::uint64_t> list, std::uint64_t from) {
    for (std::uint64_t& number : list) number = from++;
  }
  static bool counts_up(std::span<const std::uint64_t> list, std::uint64_t from) {
    for (const std::uint64_t number : list)
      if (number != from++) return false;
    return true;
  }
  /// Bytes that the file without a name has on the disk.
  std::int64_t on_the_disk() const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code error;
      const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
      struct stat status {};
      if (target.starts_with(folder_.path().string() + "/") && ::stat(entry.path().c_str(), &status) == 0)
        return std::int64_t{status.st_blocks} * 512;
    }
    return -1;
  }

  TestFolder folder_;
  std::unique_ptr<DiskMemory> memory_;
};

TEST_F(DiskMemoryTest, holds_what_was_written_when_nothing_of_it_is_resident) {
  const auto list = numbers(4 * mebibyte);
  EXPECT_TRUE(std::all_of(list.begin(), list.end(), [](std::uint64_t number) { return number == 0; }));
  count_up(list, 7);
  const auto before = resident_bytes();
  memory_->give_back();
  const auto after = resident_bytes();
  EXPECT_LE(after.value_or(0), before.value_or(0));
  EXPECT_TRUE(counts_up(list, 7));
  memory_->free(list.data());
}

TEST_F(DiskMemoryTest, gives_back_by_itself_what_is_beyond_its_bounds) {
  constexpr std::size_t bytes = 96 * mebibyte;
  const auto before = resident_bytes();
  if (!before) GTEST_SKIP() << "the system does not tell";
  const auto list = numbers(bytes / sizeof(std::uint64_t));
  count_up(list, 0);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (*resident_bytes() > *before + std::int64_t{24 * mebibyte} && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_LT(*resident_bytes(), *before + std::int64_t{24 * mebibyte});
  EXPECT_TRUE(counts_up(list, 0));
  memory_->free(list.data());
}

TEST_F(DiskMemoryTest, what_is_freed_leaves_the_disk_and_no_name_is_ever_seen) {
  const auto kept = numbers(mebibyte), freed = numbers(4 * mebibyte), last = numbers(1);
  for (const auto list : {kept, freed, last}) count_up(list, 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  EXPECT_GE(on_the_disk(), std::int64_t{40 * mebibyte});
  memory_->free(freed.data());
  EXPECT_LT(on_the_disk(), std::int64_t{10 * mebibyte});
  EXPECT_TRUE(counts_up(kept, 1) && counts_up(last, 1));
  memory_->free(kept.data());
  memory_->free(last.data());
  EXPECT_EQ(memory_->allocated(), 0u);
}

TEST_F(DiskMemoryTest, knows_its_own_addresses) {
  const auto list = numbers(1000);
  std::vector<std::uint64_t> other(1000);
  EXPECT_TRUE(memory_->owns(list.data()));
  EXPECT_TRUE(memory_->owns(list.data() + 999));
  EXPECT_FALSE(memory_->owns(other.data()));
  EXPECT_FALSE(memory_->owns(nullptr));
  memory_->free(list.data());
}

TEST_F(DiskMemoryTest, says_so_where_there_is_no_room) {
  EXPECT_EQ(memory_->allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(memory_->allocate(std::size_t{1} << 40), nullptr);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{8 * mebibyte, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  void* const fits = memory_->allocate(4 * mebibyte);
  void* const does_not = memory_->allocate(16 * mebibyte);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  ASSERT_NE(fits, nullptr);
  EXPECT_EQ(does_not, nullptr);
  std::memset(fits, 1, 4 * mebibyte);
  memory_->free(fits);
}

TEST_F(DiskMemoryTest, serves_several_threads_at_once) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      std::mt19937_64 random(t);
      std::vector<std::pair<std::span<std::uint64_t>, std::uint64_t>> lists;
      for (int step = 0; step < 200; ++step) {
        const auto list = numbers(1 + random() % 50'000);
        count_up(list, random());
        lists.emplace_back(list, list.front());
        if (step % 3 == 0) continue;
        const std::size_t gone = random() % lists.size();
        if (!counts_up(lists[gone].first, lists[gone].second)) ++wrong[t];
        memory_->free(lists[gone].first.data());
        lists.erase(lists.begin() + static_cast<std::ptrdiff_t>(gone));
      }
      for (const auto& [list, from] : lists) {
        if (!counts_up(list, from)) ++wrong[t];
        memory_->free(list.data());
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
  EXPECT_EQ(memory_->allocated(), 0u);
}

TEST(DiskMemory, passes_over_folders_that_are_in_memory_or_cannot_be_used) {
  constexpr long in_memory = 0x01021994;  // TMPFS_MAGIC
  const TestFolder folder;
  EXPECT_EQ(DiskMemory::in(std::vector{folder / "missing"}), nullptr);
  struct statfs system {};
  if (::statfs("/dev/shm", &system) != 0 || system.f_type != in_memory) GTEST_SKIP() << "no file system in memory";
  const std::filesystem::path shared = "/dev/shm";
  EXPECT_EQ(DiskMemory::in(std::vector{shared}), nullptr);
  if (!DiskMemory::in(std::vector{folder.path()})) GTEST_SKIP() << folder.path() << " is not on a disk";
  EXPECT_NE(DiskMemory::in(std::vector{folder / "missing", shared, folder.path()}), nullptr);
}

}  // namespace
}  // namespace takt
