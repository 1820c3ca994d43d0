#include "predict/load/probe_load.h"

#include <gtest/gtest.h>

#include "core/affinity.h"
#include "base/basics/error.h"
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

TEST(ProbeLoad, runs_where_it_is_told_and_leaves_its_caller_alone) {
  const auto before = usable_cores();
  ProbeLoad probe({.time = 1ms, .cores = {before.front()}});
  EXPECT_TRUE(probe.read().readings.front().value);
  EXPECT_EQ(usable_cores(), before);
  EXPECT_THROW(ProbeLoad({.cores = {8000}}), Error);
}

}  // namespace
}  // namespace takt
