#include "base/system/usage.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/system/affinity.h"
#include "test_folder.h"

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

TEST(Usage, difference_is_member_by_member) {
  Usage before, after;
  before.run_delay = 1ns, before.cpu_time = 2ns, before.machine_busy = 3ns, before.steal = 4ns, before.throttled = 5ns;
  before.voluntary_switches = 6, before.involuntary_switches = 7, before.minor_faults = 8, before.major_faults = 9;
  before.mhz = 10;
  after.run_delay = 101ns, after.cpu_time = 202ns, after.machine_busy = 303ns, after.steal = 404ns;
  after.throttled = 505ns;
  after.voluntary_switches = 606, after.involuntary_switches = 707, after.minor_faults = 808, after.major_faults = 909;
  after.mhz = 1010;
  const Usage used = after - before;
  EXPECT_EQ(used.run_delay, 100ns);
  EXPECT_EQ(used.cpu_time, 200ns);
  EXPECT_EQ(used.machine_busy, 300ns);
  EXPECT_EQ(used.steal, 400ns);
  EXPECT_EQ(used.throttled, 500ns);
  EXPECT_EQ(used.voluntary_switches, 600);
  EXPECT_EQ(used.involuntary_switches, 700);
  EXPECT_EQ(used.minor_faults, 800);
  EXPECT_EQ(used.major_faults, 900);
  EXPECT_EQ(used.mhz, 1010);
  EXPECT_EQ((before - Usage()).cpu_time, std::nullopt);
}

/// Busy and stolen ticks of the processors of this process, by a reader of the file that has nothing in common with
/// the other.
std::pair<std::int64_t, std::int64_t> ticks_of_the_system() {
  std::ifstream stat("/proc/stat");
  std::int64_t busy = 0, stolen = 0;
  const auto mine = usable_cores();
  for (std::string line; std::getline(stat, line);) {
    std::istringstream words(line);
    std::string name;
    std::int64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    words >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
    if (!name.starts_with("cpu") || name == "cpu") continue;
    if (std::find(mine.begin(), mine.end(), std::stoi(name.substr(3))) == mine.end()) continue;
    busy += user + nice + system + irq + softirq, stolen += steal;
  }
  return {busy, stolen};
}

// Every total lies between what the system tells before and after it: no time passes that is not counted.
TEST(Usage, is_what_the_system_tells_at_that_time) {
  UsageReader reader;
  const Nanoseconds tick(1'000'000'000 / sysconf(_SC_CLK_TCK));
  for (int turn = 0; turn < 5; ++turn) {
    const auto system_before = ticks_of_the_system();
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    timespec cpu_before{}, cpu_after{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu_before);
    const Usage usage = reader.read_all();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu_after);
    getrusage(RUSAGE_SELF, &after);
    const auto system_after = ticks_of_the_system();
    const auto ns = [](const timespec& time) { return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec); };
    EXPECT_GE(*usage.cpu_time, ns(cpu_before));
    EXPECT_LE(*usage.cpu_time, ns(cpu_after));
    EXPECT_GE(*usage.voluntary_switches, before.ru_nvcsw);
    EXPECT_LE(*usage.voluntary_switches, after.ru_nvcsw);
    EXPECT_GE(*usage.involuntary_switches, before.ru_nivcsw);
    EXPECT_LE(*usage.involuntary_switches, after.ru_nivcsw);
    EXPECT_GE(*usage.minor_faults, before.ru_minflt);
    EXPECT_LE(*usage.minor_faults, after.ru_minflt);
    EXPECT_GE(*usage.major_faults, before.ru_majflt);
    EXPECT_LE(*usage.major_faults, after.ru_majflt);
    if (system_before.first == 0) continue;  // this system does not tell
    ASSERT_TRUE(usage.machine_busy && usage.steal);
    EXPECT_GE(*usage.machine_busy, system_before.first * tick);
    EXPECT_LE(*usage.machine_busy, system_after.first * tick);
    EXPECT_GE(*usage.steal, system_before.second * tick);
    EXPECT_LE(*usage.steal, system_after.second * tick);
  }
}

TEST(Usage, of_a_thread_is_its_own_processor_time) {
  const auto before = thread_cpu_time();
  if (!before) GTEST_SKIP() << "this system does not tell";
  std::thread([] {
    const auto begin = *thread_cpu_time();
    while (*thread_cpu_time() - begin < 30ms) sink.fetch_add(1, std::memory_order_relaxed);
  }).join();
  EXPECT_LT(*thread_cpu_time() - *before, 25ms) << "not what another thread has used";
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  EXPECT_GE(std::chrono::seconds(now.tv_sec) + Nanoseconds(now.tv_nsec), *before);
}

TEST(Usage, clock_is_one_that_processors_have) {
  UsageReader reader;
  const auto mhz = reader.read_all().mhz;
  if (!mhz) GTEST_SKIP() << "this system does not tell";
  EXPECT_GT(*mhz, 100);
  EXPECT_LT(*mhz, 20'000);
}

TEST(Usage, what_is_read_rarely_stays_for_a_hundredth_of_a_second) {
  UsageReader reader;
  reader.read_all();
  bool stayed = false, changed = false;
  for (int turn = 0; turn < 2000 && !(stayed && changed); ++turn) {
    const Nanoseconds begin = steady_now();
    const auto first = reader.read_all().machine_busy;
    if (!first) GTEST_SKIP() << "this system does not tell";
    const auto soon = reader.read().machine_busy;
    stayed = stayed || (soon == first && steady_now() - begin < 10ms);
    while (steady_now() - begin < 30ms) sink.fetch_add(1, std::memory_order_relaxed);
    changed = reader.read().machine_busy > first;  // this thread has worked for three ticks
  }
  EXPECT_TRUE(stayed);
  EXPECT_TRUE(changed);
}

TEST(CpuLimit, of_a_control_group_is_the_least_of_it_and_those_around_it) {
  const auto quota_of = [](const std::string& cgroup,
                           std::initializer_list<std::pair<std::string, std::string>> files) {
    const TestFolder root;
    root.write("proc/self/cgroup", cgroup);
    for (const auto& [path, text] : files) root.write("sys/fs/cgroup/" + path, text);
    return cpu_limit(root.path()).quota;
  };
  EXPECT_EQ(quota_of("0::/a/b\n", {{"a/b/cpu.max", "300000 100000\n"}}), 3);
  EXPECT_EQ(quota_of("0::/a/b\n", {{"a/cpu.max", "50000 200000\n"}}), 0.25);
  EXPECT_EQ(quota_of("0::/a/b\n", {{"cpu.max", "150000 100000\n"}}), 1.5);
  EXPECT_EQ(quota_of("0::/a/b\n", {{"a/b/cpu.max", "300000 100000\n"}, {"a/cpu.max", "200000 100000\n"}}), 2);
  EXPECT_EQ(quota_of("0::/a/b\n", {{"a/b/cpu.max", "200000 100000\n"}, {"a/cpu.max", "300000 100000\n"}}), 2);
  EXPECT_EQ(quota_of("0::/a\n", {{"a/cpu.max", "max 100000\n"}}), std::nullopt);
  EXPECT_EQ(quota_of("0::/a\n", {{"a/cpu.max", "100000 0\n"}}), std::nullopt);
  EXPECT_EQ(quota_of("0::/a\n", {{"b/cpu.max", "100000 100000\n"}}), std::nullopt) << "somebody else's";
  EXPECT_EQ(quota_of("nonsense\n", {{"cpu.max", "100000 100000\n"}}), std::nullopt);
  // Version 1: two files, below the controller's own folder.
  const auto of_first = [&](const std::string& controllers, const std::string& mount, const char* quota,
                            const char* period) {
    return quota_of("7:memory:/m\n4:" + controllers + ":/a\n",
                    {{mount + "/a/cpu.cfs_quota_us", quota}, {mount + "/a/cpu.cfs_period_us", period}});
  };
  EXPECT_EQ(of_first("cpu,cpuacct", "cpu,cpuacct", "250000\n", "100000\n"), 2.5);
  EXPECT_EQ(of_first("cpuacct,cpu", "cpu", "1\n", "4\n"), 0.25);
  EXPECT_EQ(of_first("cpuset", "cpu", "250000\n", "100000\n"), std::nullopt);
  EXPECT_EQ(of_first("cpu", "cpu", "-1\n", "100000\n"), std::nullopt) << "no limit";
  EXPECT_EQ(of_first("cpu", "cpu", "0\n", "100000\n"), std::nullopt);
  EXPECT_EQ(of_first("cpu", "cpu", "100000\n", "0\n"), std::nullopt);
  EXPECT_EQ(quota_of("4:cpu:/a\n", {{"cpu/a/cpu.cfs_quota_us", "100000\n"}}), std::nullopt);
  const TestFolder nothing;
  EXPECT_EQ(cpu_limit(nothing.path()).quota, std::nullopt);
  EXPECT_EQ(cpu_limit(nothing.path()).cpus, usable_core_count());
}

TEST(GroupThrottled, is_that_of_the_nearest_group_that_counts_it) {
  const auto throttled = [](std::initializer_list<std::pair<std::string, std::string>> files) {
    const TestFolder root;
    root.write("proc/self/cgroup", "4:cpu:/a\n0::/a/b\n");
    for (const auto& [path, text] : files) root.write("sys/fs/cgroup/" + path, text);
    return group_throttled(root.path());
  };
  const std::string second = "usage_usec 5\nnr_throttled 2\nthrottled_usec 7\n";
  EXPECT_EQ(throttled({{"a/b/cpu.stat", second}}), 7us);
  EXPECT_EQ(throttled({{"a/b/cpu.stat", "usage_usec 5\n"}, {"a/cpu.stat", second}}), 7us);
  EXPECT_EQ(throttled({{"a/b/cpu.stat", second}, {"a/cpu.stat", "nr_throttled 1\nthrottled_usec 9\n"}}), 7us);
  EXPECT_EQ(throttled({{"cpu/a/cpu.stat", "nr_periods 1\nnr_throttled 2\nthrottled_time 11\n"}}), 11ns);
  EXPECT_EQ(throttled({{"a/b/cpu.stat", "nr_throttled 2\n"}}), std::nullopt);
  EXPECT_EQ(throttled({}), std::nullopt);
}

TEST(CpuLimit, is_the_smaller_of_affinity_and_quota) {
  EXPECT_GE(cpu_limit().cpus, 1);
  EXPECT_EQ((CpuLimit{8, 2.5}).processors(), 2.5);
  EXPECT_EQ((CpuLimit{2, 2.5}).processors(), 2);
  EXPECT_EQ((CpuLimit{2, std::nullopt}).processors(), 2);
}

}  // namespace
}  // namespace takt
