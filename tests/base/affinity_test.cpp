#include "base/system/affinity.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <thread>

#include "base/basics/error.h"

namespace takt {
namespace {

TEST(Affinity, a_pinned_thread_may_use_what_it_is_pinned_to) {
  const auto all = usable_cores();
  ASSERT_FALSE(all.empty());
  std::vector<int> inside;
  std::thread([&] {
    pin_this_thread({all.back()});
    inside = usable_cores();
  }).join();
  EXPECT_EQ(inside, std::vector<int>{all.back()});
  EXPECT_EQ(usable_cores(), all);
  EXPECT_EQ(usable_core_count(), static_cast<int>(all.size()));
  EXPECT_GE(machine_core_count(), usable_core_count());
}

TEST(Affinity, each_core_that_the_system_allows_is_one_of_them) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  EXPECT_EQ(usable_cores(), cores);
  for (const int core : cores) {
    std::vector<int> inside;
    std::thread([&] {
      pin_this_thread({core});
      inside = usable_cores();
    }).join();
    EXPECT_EQ(inside, std::vector<int>{core});
  }
}

TEST(Affinity, other_cores_are_refused_with_those_that_can_be_used) {
  for (const int core : {-1, 8191, 1'000'000}) {
    try {
      pin_this_thread({core});
      FAIL() << core;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("; the cores are "), std::string::npos);
    }
  }
}

TEST(ProcessorName, is_the_first_key_that_says_it) {
  EXPECT_EQ(processor_name("processor : 0\nmodel name\t: Fast CPU @ 3 GHz\nmodel name : other\n"), "Fast CPU @ 3 GHz");
  EXPECT_EQ(processor_name("Hardware : board\nModel\t: Board 4\n"), "Board 4");
  EXPECT_EQ(processor_name("model name : \x1b[2J"), "\\x1b[2J");
  for (const char* text : {"", "\n\n", "model name", "model : 7\n"}) EXPECT_EQ(processor_name(text), "unknown CPU");
}

}  // namespace
}  // namespace takt
