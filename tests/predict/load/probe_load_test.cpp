#include "predict/load/probe_load.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "base/system/affinity.h"
#include "refused.h"
#include "test_folder.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

TEST(ProbeLoad, tells_what_a_processor_gives) {
  ProbeLoad probe({.time = 5ms});
  EXPECT_TRUE(probe.disturbs());
  const auto readings = probe.read().readings;
  // More only where nobody's threads run elsewhere.
  ASSERT_TRUE(readings.size() == 4 || readings.size() == 6);
  if (readings.size() == 6) {
    EXPECT_EQ(readings[4].name, "probe_fair_wait_ratio");
    EXPECT_EQ(readings[5].name, "probe_wait_trend");
  }
  for (const LoadReading& one : readings) {
    if (one.name == "probe_wait_ratio" && !one.value) continue;                           // not every kernel counts it
    if (one.name == "probe_fair_wait_ratio" || one.name == "probe_wait_trend") continue;  // too short for them
    ASSERT_TRUE(one.value) << one.name << ": " << one.trouble;
    EXPECT_GT(*one.value, one.name == "probe_wait_ratio" ? -1 : 0) << one.name;
    EXPECT_GE(*one.window, 5ms);
  }
  EXPECT_GE(*readings[3].value, 0.9) << "it cannot take less time than it has a processor";
}

TEST(ProbeLoad, names_what_the_system_does_not_tell) {
  const TestFolder empty;
  ProbeLoad probe({.time = 1ms, .root = empty.path()});
  const auto readings = probe.read().readings;
  EXPECT_EQ(readings[2].name, "probe_wait_ratio");
  EXPECT_FALSE(readings[2].value);
  EXPECT_NE(readings[2].trouble.find("/proc/thread-self/schedstat"), std::string::npos);
  EXPECT_TRUE(readings[3].value);
}

TEST(ProbeLoad, waits_its_fair_share_by_how_many_threads_the_system_tells) {
  const int processors = usable_core_count();
  const TestFolder root;
  root.write("proc/loadavg", "0.2 0.2 0.2 " + std::to_string(3 * processors) + "/900 1\n");
  root.write("proc/thread-self/schedstat", "100 20 3\n");  // it never runs
  ProbeLoad probe({.time = 40ms, .root = root.path()});
  const auto readings = probe.read().readings;
  EXPECT_EQ(readings[2].name, "probe_wait_ratio");
  EXPECT_EQ(readings[2].value, std::nullopt);
  if (readings.size() < 6) GTEST_SKIP() << "others may run elsewhere on this machine";
  EXPECT_EQ(readings[4].name, "probe_fair_wait_ratio");
  EXPECT_EQ(readings[5].name, "probe_wait_trend");
  if (!readings[4].value) GTEST_SKIP() << "too busy for ten pieces in 40 ms";
  EXPECT_DOUBLE_EQ(*readings[4].value, 2) << "three threads on each processor";
  EXPECT_DOUBLE_EQ(readings[5].value.value_or(0), 1);
}

TEST(ProbeLoad, names_each_of_its_figures) {
  ProbeLoad probe({.time = 1ms});
  EXPECT_EQ(probe.name(), "probe");
  const auto readings = probe.read().readings;
  const std::vector<std::string> names{"probe_compute_flops", "probe_memory_bytes_per_s", "probe_wait_ratio",
                                       "probe_wall_ratio",    "probe_fair_wait_ratio",    "probe_wait_trend"};
  for (std::size_t i = 0; i < readings.size(); ++i) {
    EXPECT_EQ(readings[i].name, names.at(i));
    EXPECT_EQ(readings[i].device + " " + readings[i].source, "host probe");
    EXPECT_EQ(readings[i].age, readings[i].value ? std::optional<Nanoseconds>(0ns) : std::nullopt);
  }
  EXPECT_EQ(ProbeSettings().time, 200ms);
}

TEST(ProbeLoad, runs_where_it_is_told_and_leaves_its_caller_alone) {
  const auto before = usable_cores();
  ProbeLoad probe({.time = 1ms, .cores = {before.front()}});
  EXPECT_TRUE(probe.read().readings.front().value);
  EXPECT_EQ(usable_cores(), before);
  EXPECT_TRUE(refused_with([&] {
                ProbeLoad({.cores = {8000}});
              }).starts_with("core 8000: cannot be used by this process; the cores are "));
}

}  // namespace
}  // namespace takt
