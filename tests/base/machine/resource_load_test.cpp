#include "base/machine/resource_load.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/machine/caches.h"
#include "base/machine/load_work.h"
#include "places.h"
#include "refused.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// What a load of these levels tells in so many lines: work per nanosecond.
double rate_of(LoadLevels levels, int lines) {
  std::vector<std::string> told;
  run_load(to_json(LoadTask{levels, 1, static_cast<int>(::getppid())}), [&](const std::string& line) {
    told.push_back(line);
    return std::ssize(told) < lines;
  });
  const auto first = split(told.front(), ' '), last = split(told.back(), ' ');
  const double time = *number_in<double>(last[0]) - *number_in<double>(first[0]);
  return (*number_in<double>(last[1]) - *number_in<double>(first[1])) / time;
}

TEST(ResourceLoad, a_task_is_read_back) {
  const LoadTask task = parse_load_task(to_json(LoadTask{{0.25, 0.5, 0}, 3, 17}));
  EXPECT_EQ(task.levels.compute, 0.25);
  EXPECT_EQ(task.levels.memory, 0.5);
  EXPECT_EQ(task.levels.cache, 0);
  EXPECT_EQ(task.threads, 3);
  EXPECT_EQ(task.parent, 17);
  EXPECT_EQ(parse_load_task(to_json(LoadTask{{0, 0, 0.75}, 1, 1})).levels.cache, 0.75);
}

/// What the levels and threads are refused with; "accepted" where they are not.
std::string load_refusal(const LoadLevels& levels, int threads = 1) {
  try {
    check_load(levels, threads);
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(ResourceLoad, levels_and_threads_are_taken_up_to_their_borders) {
  for (const LoadLevels& levels : {LoadLevels{0, 0, 0}, LoadLevels{1, 0, 0}, LoadLevels{0, 1, 0}, LoadLevels{0, 0, 1},
                                   LoadLevels{0.25, 0.75, 0}, LoadLevels{0.5, 0.5 + 1e-10, 0}})
    EXPECT_EQ(load_refusal(levels), "accepted");
  EXPECT_EQ(load_refusal({1, 0, 0}, 1024), "accepted");
  EXPECT_EQ(load_refusal({1, 0, 0}, 1025), "a load has 1025 threads; use 1 to 1024");
  EXPECT_EQ(load_refusal({1, 0, 0}, 0), "a load has 0 threads; use 1 to 1024");
  EXPECT_EQ(
      load_refusal({0.5, 0.75, 0}),
      "a load of compute 0.5, memory 0.75 and cache 0 is invalid; levels are 0 to 1, compute and memory add up to at "
      "most 1, cache is used alone");
  for (const LoadLevels& levels :
       {LoadLevels{0.5, 0.5 + 1e-8, 0}, LoadLevels{-0.25, 1, 0}, LoadLevels{1, -0.25, 0}, LoadLevels{0, 0, -0.25},
        LoadLevels{0, 0, 1.25}, LoadLevels{0, 0.125, 0.5}, LoadLevels{0.125, 0, 0.5}})
    EXPECT_NE(load_refusal(levels), "accepted") << levels.compute << " " << levels.memory << " " << levels.cache;
}

TEST(ResourceLoad, a_task_that_is_none_is_refused_with_the_reason) {
  for (const char* key : {"compute", "memory", "cache", "threads", "parent"}) {
    std::string json = to_json(LoadTask{{0.25, 0.5, 0}, 3, 17});
    const std::string quoted = '"' + std::string(key) + '"';
    json.replace(json.find(quoted), quoted.size(), "\"other\"");
    try {
      parse_load_task(json);
      ADD_FAILURE() << "without " << key;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_TRUE(std::string(error.what()).starts_with("a load received something other than a task: "));
      EXPECT_NE(std::string(error.what()).find("'" + std::string(key) + "'"), std::string::npos) << error.what();
    }
  }
}

TEST(LoadWork, each_kind_has_an_account_of_its_own_to_which_all_threads_add) {
  const auto worked = [](const LoadLevels& levels, int threads) {
    const LoadWork work(levels, threads);
    const Nanoseconds begin = steady_now();
    while (steady_now() - begin < 100ms) std::this_thread::sleep_for(5ms);
    EXPECT_GT(work.done(), 10) << "slices of some 50 us";
    const LoadWork::Worked sum = work.worked();
    const auto time = static_cast<double>((steady_now() - begin).count());
    return std::pair(static_cast<double>(sum.compute.count()) / time, static_cast<double>(sum.reading.count()) / time);
  };
  // By the time that passes, of which each of two threads has worked for nearly all; others may have the machine for a while.
  const auto is_both = [](double share) { return share > 1.2 && share < 2.5; };
  std::pair<double, double> computing, reading;
  for (int turn = 0; turn < 10 && !(is_both(computing.first) && is_both(reading.second)); ++turn)
    computing = worked({1, 0, 0}, 2), reading = worked({0, 0, 0.25}, 2);
  EXPECT_TRUE(is_both(computing.first)) << computing.first;
  EXPECT_EQ(computing.second, 0);
  EXPECT_EQ(reading.first, 0);
  EXPECT_TRUE(is_both(reading.second)) << reading.second;
}

TEST(LoadWork, shares_of_two_kinds_are_kept_side_by_side) {
  double compute = 0, reading = 0;
  const auto is_kept = [&] { return compute > 0.35 && compute < 0.65 && reading > 0.13 && reading < 0.37; };
  for (int turn = 0; turn < 10 && !is_kept(); ++turn) {  // others may have the machine for a while
    const LoadWork work({0.5, 0.25, 0}, 1);
    const Nanoseconds begin = steady_now();
    std::this_thread::sleep_for(100ms);
    const auto sum = work.worked();
    const auto time = static_cast<double>((steady_now() - begin).count());
    compute = static_cast<double>(sum.compute.count()) / time,
    reading = static_cast<double>(sum.reading.count()) / time;
  }
  EXPECT_TRUE(is_kept()) << compute << " and " << reading;
}

/// Memory of this process in bytes that its files do not hold.
double resident_bytes() {
  const auto words = split(read_file("/proc/self/statm"), ' ');
  return *number_in<double>(words.at(1)) * 4096;
}

TEST(LoadWork, reads_the_part_of_the_last_cache_that_its_level_says) {
  std::int64_t last = 0;
  for (const CacheLevel& cache : detect_caches()) last = std::max(last, cache.bytes);
  if (last < 8 << 20 || sysconf(_SC_PAGESIZE) != 4096) GTEST_SKIP() << "its last cache is too small to be told apart";
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer needs memory for memory";
  const auto grown = [&](const LoadLevels& levels, int threads) {
    const double before = resident_bytes();
    const LoadWork work(levels, threads);
    return (resident_bytes() - before) / static_cast<double>(last);
  };
  grown({0, 0, 0.5}, 2);  // stacks and what else is kept from the first time on
  EXPECT_NEAR(grown({0, 0, 0.5}, 2), 0.5, 0.2);
  EXPECT_NEAR(grown({0, 0, 1}, 1), 1, 0.2);
  EXPECT_NEAR(grown({0, 0.5, 0}, 2), 4, 0.3) << "memory: four times the last cache";
  EXPECT_NEAR(grown({0.5, 0, 0}, 1), 0, 0.2) << "computing needs none";
}

TEST(ResourceLoad, what_is_no_load_is_refused) {
  const auto refusal = [](const LoadTask& task) { return refused_with([&] { parse_load_task(to_json(task)); }); };
  for (const LoadLevels& levels :
       {LoadLevels{0.6, 0.6, 0}, LoadLevels{-0.1, 0, 0}, LoadLevels{0, 0, 1.5}, LoadLevels{0.5, 0, 0.5}})
    EXPECT_EQ(refusal({levels, 1, 1}), load_refusal(levels));
  EXPECT_EQ(refusal({{1, 0, 0}, 0, 1}), "a load has 0 threads; use 1 to 1024");
  EXPECT_TRUE(refused_with([] { parse_load_task(""); }).starts_with("a load received something other than a task: "));
}

TEST(ResourceLoad, every_kind_works_and_less_at_a_lower_level) {
  for (const LoadLevels& full : {LoadLevels{1, 0, 0}, LoadLevels{0, 1, 0}}) {
    const LoadLevels tenth{full.compute * 0.1, full.memory * 0.1, 0};
    double all = rate_of(full, 30), part = rate_of(tenth, 30);
    // Others use the machine, too, and may have had it while everything was asked for.
    for (int more = 0; more < 8 && part >= all / 2; ++more)
      all = std::max(all, rate_of(full, 30)), part = std::min(part, rate_of(tenth, 30));
    EXPECT_GT(part, 0);
    EXPECT_LT(part, all / 2);  // a tenth
  }
  EXPECT_GT(rate_of({0, 0, 0.5}, 10), 0);
}

TEST(ResourceLoad, tells_its_rate_while_it_runs) {
  // A child in the place of the load: 1000 slices a second, on a clock that begins with the first line.
  const std::string script = "read task; for t in 1 2 3 4 5; do echo \"${t}000000 $t\"; done; sleep 60";
  const ResourceLoad load({"/bin/sh", "-c", script}, {});
  const auto rate = load.rate(Nanoseconds(1'500'000), Nanoseconds(4'500'000));
  ASSERT_TRUE(rate);
  EXPECT_NEAR(*rate, 1000, 1e-6);
  EXPECT_FALSE(load.rate(Nanoseconds(500'000), Nanoseconds(4'500'000)));  // before it told anything
  EXPECT_FALSE(load.rate(Nanoseconds(4'500'000), Nanoseconds(1'500'000)));
}

TEST(ResourceLoad, its_rate_between_two_tellings_is_in_proportion_to_the_time) {
  // Slower and slower: 20, 10, 5 and 1 slices in a millisecond each.
  const std::string script =
      "read task; for line in '1000000 100' '2000000 120' '3000000 130' '4000000 135' '5000000 136'; "
      "do echo \"$line\"; done; sleep 60";
  const ResourceLoad load({"/bin/sh", "-c", script}, {});
  const auto rate = [&](std::int64_t begin, std::int64_t end) {
    return load.rate(Nanoseconds(begin), Nanoseconds(end)).value_or(-1);
  };
  EXPECT_NEAR(rate(1'500'000, 2'500'000), 15'000, 1e-6);  // from 110 to 125
  EXPECT_NEAR(rate(2'000'000, 3'000'000), 10'000, 1e-6);
  EXPECT_NEAR(rate(3'250'000, 4'500'000), 4'250 / 1.25, 1e-6);  // from 131.25 to 135.5
  EXPECT_NEAR(rate(1'000'001, 5'000'000), 36 / 0.004, 0.01);
  EXPECT_EQ(rate(2'000'000, 2'000'000), -1);
}

TEST(ResourceLoad, is_asked_with_its_task_and_the_process_that_asks) {
  LoadTask task{{0.25, 0.5, 0}, 3, 0};
  try {
    const ResourceLoad load({"/bin/sh", "-c", "read task; echo \"$task\" >&2; exit 4"}, task);
    ADD_FAILURE();
  } catch (const Error& error) {
    task.parent = static_cast<int>(::getpid());
    EXPECT_EQ(error.kind(), ErrorKind::runtime);
    EXPECT_EQ(error.what(), "the background load of a measurement ended with exit code 4: " + to_json(task));
  }
}

TEST(ResourceLoad, a_first_line_that_is_none_of_its_own_is_no_load) {
  for (const char* line : {"1", "1 2 3", "x 2", "1 x", "1.5 2"}) {
    const std::string script = "read task; echo '" + std::string(line) + "'; echo strange >&2; exit 0";
    EXPECT_EQ(refused_with([&] {
                ResourceLoad({"/bin/sh", "-c", script}, {});
              }),
              "the background load of a measurement ended with exit code 0: strange")
        << line;
  }
}

TEST(ResourceLoad, says_why_it_does_not_run) {
  try {
    const ResourceLoad load({"/bin/sh", "-c", "echo no memory >&2; exit 3"}, {});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the background load of a measurement ended with exit code 3: no memory");
  }
}

}  // namespace
}  // namespace takt
