#include "base/system/usage.h"

#include <gtest/gtest.h>

#include <time.h>

#include <atomic>
#include <thread>
#include <vector>

namespace takt {
namespace {

using namespace std::chrono_literals;

std::atomic<std::uint64_t> sink{0};

void work_for(Nanoseconds cpu_time, UsageReader& reader) {
  auto before = reader.read().cpu_time;
  while (*reader.read().cpu_time - *before < cpu_time)
    for (int i = 0; i < 1000; ++i) sink.fetch_add(1, std::memory_order_relaxed);
}

TEST(Usage, of_work_is_processor_time) {
  UsageReader reader;
  auto before = reader.read();
  if (!before.cpu_time) GTEST_SKIP() << "this system does not tell";
  work_for(5ms, reader);
  auto used = reader.read() - before;
  EXPECT_GE(*used.cpu_time, Nanoseconds(5ms));
}

TEST(Usage, of_fresh_memory_is_page_faults) {
  UsageReader reader;
  auto before = reader.read();
  if (!before.minor_faults) GTEST_SKIP() << "this system does not tell";
  // Far above what an allocator keeps in stock; a huge page would be one fault for 2 MiB.
  constexpr std::size_t size = 64 << 20;
  std::vector<char> memory(size, 1);
  EXPECT_GE(*(reader.read() - before).minor_faults, 16);
}

TEST(Usage, of_sleep_is_a_voluntary_switch) {
  UsageReader reader;
  auto before = reader.read();
  if (!before.voluntary_switches) GTEST_SKIP() << "this system does not tell";
  std::this_thread::sleep_for(1ms);
  EXPECT_GE(*(reader.read() - before).voluntary_switches, 1);
}

TEST(Usage, never_falls_when_threads_start_and_end) {
  UsageReader reader;
  auto last = reader.read();
  if (!last.run_delay || !last.cpu_time) GTEST_SKIP() << "this system does not tell";
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([] {
        for (int k = 0; k < 100'000; ++k) sink.fetch_add(1, std::memory_order_relaxed);
      });
    auto during = reader.read() - last;
    for (auto& thread : threads) thread.join();
    auto now = reader.read();
    ASSERT_TRUE(now.run_delay && during.cpu_time);
    EXPECT_GE(*now.run_delay, *last.run_delay);
    EXPECT_GE(*during.cpu_time, Nanoseconds{});
    EXPECT_GT(*now.cpu_time, *last.cpu_time) << "400,000 additions take some time";
    last = now;
  }
}

TEST(Usage, threads_beyond_the_processors_wait) {
  UsageReader reader;
  auto before = reader.read();
  if (!before.run_delay) GTEST_SKIP() << "this system does not tell";
  int count = 2 * cpu_limit().cpus + 2;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([] {
      timespec now{};
      // Each takes 20 ms of a processor, several time slices, so they cannot all be served at once.
      do {
        for (int k = 0; k < 1000; ++k) sink.fetch_add(1, std::memory_order_relaxed);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
      } while (now.tv_nsec < 20'000'000 && now.tv_sec == 0);
    });
  // Read while they live: what a thread waited is known only until it ends.
  std::this_thread::sleep_for(15ms);
  auto used = reader.read() - before;
  for (auto& thread : threads) thread.join();
  EXPECT_GT(used.run_delay->count(), 0);
}

TEST(Usage, sees_that_another_thread_works) {
  UsageReader reader;
  if (!reader.read().run_delay) GTEST_SKIP() << "this system does not tell";
  std::atomic<bool> go_on = true, works = false;
  std::thread worker([&] {
    while (go_on) works = true;
  });
  while (!works) std::this_thread::yield();
  EXPECT_FALSE(reader.others_sleep());
  go_on = false;
  worker.join();
  EXPECT_TRUE(reader.others_sleep());
}

TEST(Usage, difference_of_what_is_missing_is_missing) {
  Usage before, after;
  before.steal = 10ms, after.steal = 30ms;
  after.run_delay = 1ms;
  after.mhz = 2400;
  auto used = after - before;
  EXPECT_EQ(used.steal, std::optional<Nanoseconds>(20ms));
  EXPECT_FALSE(used.run_delay);
  EXPECT_EQ(used.mhz, 2400);
}

TEST(CpuLimit, is_the_smaller_of_affinity_and_quota) {
  EXPECT_GE(cpu_limit().cpus, 1);
  EXPECT_EQ((CpuLimit{8, 2.5}).processors(), 2.5);
  EXPECT_EQ((CpuLimit{2, 2.5}).processors(), 2);
  EXPECT_EQ((CpuLimit{2, std::nullopt}).processors(), 2);
}

}  // namespace
}  // namespace takt
