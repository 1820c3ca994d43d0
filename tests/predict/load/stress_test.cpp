#include "predict/stress/stress.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/usage.h"
#include "refused.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

StressTask task(LoadLevels levels, int threads, Nanoseconds duration) {
  StressTask asked;
  asked.processors = levels, asked.threads = threads, asked.duration = duration;
  return asked;
}

TEST(Stress, a_task_is_read_back) {
  StressTask asked = task({0.25, 0.5, 0}, 3, 1500ms);
  asked.gpu = {{0.5, 0.125}, 2, "lib.so"};
  asked.parent = 17;
  const StressTask read = parse_stress_task(to_json(asked));
  EXPECT_EQ(read.processors.compute, 0.25);
  EXPECT_EQ(read.processors.memory, 0.5);
  EXPECT_EQ(read.threads, 3);
  EXPECT_EQ(read.gpu.levels.compute, 0.5);
  EXPECT_EQ(read.gpu.levels.copies, 0.125);
  EXPECT_EQ(read.gpu.device, 2);
  EXPECT_EQ(read.gpu.library, "lib.so");
  EXPECT_EQ(read.duration, 1500ms);
  EXPECT_EQ(read.parent, 17);
}

TEST(Stress, what_is_no_load_is_refused) {
  EXPECT_TRUE(
      refused_with([&] { parse_stress_task(""); }).starts_with("a stressor received something other than a task: "));
  EXPECT_TRUE(
      refused_with([&] { parse_stress_task("{}"); }).starts_with("a stressor received something other than a task: "));
  EXPECT_EQ(refused_with([&] { check_stress(task({0, 0, 0}, 1, 1s)); }), "no load was requested: every level is 0");
  EXPECT_EQ(
      refused_with([&] {
        check_stress(task({0.7, 0.7, 0}, 1, 1s));
      }),
      "a load of compute 0.7, memory 0.7 and cache 0 is invalid; levels are 0 to 1, compute and memory add up to at "
      "most 1, cache is used alone");
  EXPECT_EQ(refused_with([&] { check_stress(task({1, 0, 0}, 0, 1s)); }), "a load has 0 threads; use 1 to 1024");
  EXPECT_EQ(refused_with([&] { check_stress(task({1, 0, 0}, 1, 0s)); }), "a load lasts between 1 ns and 30 days");
  StressTask gpu = task({0, 0, 0}, 1, 1s);
  gpu.gpu.levels = {0.6, 0.6};
  const std::string both =
      "a load of 0.6 and copies of 0.6 on a GPU are not possible; levels are 0 to 1, together at most 1";
  EXPECT_EQ(refused_with([&] { check_stress(gpu); }), both);
  EXPECT_EQ(refused_with([&] { parse_stress_task(to_json(gpu)); }), both);
  EXPECT_EQ(refused_with([&] { run_stress(gpu, nullptr, [](const auto&) { return true; }); }), both);
}

/// What a task is refused with; "accepted" where it is not.
std::string stress_refusal(const StressTask& asked) {
  try {
    check_stress(asked);
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Stress, a_task_is_taken_up_to_its_borders) {
  constexpr Nanoseconds month = 24h * 30;
  EXPECT_EQ(stress_refusal(task({1, 0, 0}, 1024, month)), "accepted");
  EXPECT_EQ(stress_refusal(task({0, 0.1, 0}, 1, 1ns)), "accepted");
  EXPECT_EQ(stress_refusal(task({0, 0, 1}, 1, 1ns)), "accepted");
  for (const Nanoseconds duration : {month + 1ns, Nanoseconds(0), Nanoseconds(-1)})
    EXPECT_EQ(stress_refusal(task({1, 0, 0}, 1, duration)), "a load lasts between 1 ns and 30 days");
  EXPECT_EQ(stress_refusal(task({0, 0, 0}, 1, 1s)), "no load was requested: every level is 0");
  EXPECT_EQ(stress_refusal(task({1, 0, 0}, 1025, 1s)), "a load has 1025 threads; use 1 to 1024");
  const auto of_gpu = [](double compute, double copies) {
    StressTask asked = task({0, 0, 0}, 1, 1s);
    asked.gpu.levels = {compute, copies};
    return stress_refusal(asked);
  };
  for (const auto& [compute, copies] : {std::pair(1.0, 0.0), {0.0, 1.0}, {0.25, 0.75}, {0.5, 0.5 + 1e-10}})
    EXPECT_EQ(of_gpu(compute, copies), "accepted") << compute << " " << copies;
  EXPECT_EQ(of_gpu(0.75, 0.5),
            "a load of 0.75 and copies of 0.5 on a GPU are not possible; levels are 0 to 1, together at most 1");
  for (const auto& [compute, copies] : {std::pair(0.5, 0.5 + 1e-8), {-0.25, 1.0}, {1.0, -0.25}})
    EXPECT_NE(of_gpu(compute, copies), "accepted") << compute << " " << copies;
  EXPECT_EQ(StressTask().duration, 1min);
  EXPECT_EQ(StressTask().threads, 1);
}

TEST(Stress, a_task_that_lacks_something_is_refused_with_the_reason) {
  const std::string json = to_json(task({0.25, 0.5, 0}, 3, 1500ms));
  for (const char* key : {"compute", "memory", "cache", "threads", "gpu", "gpu_copies", "gpu_device", "gpu_library",
                          "duration_ns", "parent"}) {
    const std::string quoted = '"' + std::string(key) + '"';
    std::string without = json;
    without.replace(without.find(quoted), quoted.size(), "\"other\"");
    try {
      parse_stress_task(without);
      ADD_FAILURE() << "without " << key;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("a stressor received something other than a task: "));
      EXPECT_NE(std::string(error.what()).find("'" + std::string(key) + "'"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(parse_stress_task(to_json(task({0, 0, 0.75}, 1, 1s))).processors.cache, 0.75);
}

TEST(Stress, each_resource_is_told_by_its_own_work) {
  StressWork begin{10s, 1s, 2s, 3s, 4s}, end{14s, 2s, 5s, 4s, 7s};
  StressTask asked = task({0.25, 0.5, 0}, 2, 1s);
  asked.gpu.levels = {0.375, 0.625};
  const auto in_words = [&](const StressTask& of) {
    std::string words;
    for (const ReachedLevel& one : reached_levels(of, begin, end, "Some GPU"))
      words += fmt::format("{} of {} by {}: {} of {} in {}\n", one.resource, one.device, one.threads,
                           one.reached.value_or(-1), one.wanted, format_duration(one.duration));
    return words;
  };
  // In 4 s: two threads computed for 1 s together and read for 3; the GPU multiplied for 1 s and copied for 3.
  EXPECT_EQ(in_words(asked),
            "compute of CPU by 2: 0.125 of 0.25 in 4.00 s\nmemory of CPU by 2: 0.375 of 0.5 in 4.00 s\n"
            "gpu of Some GPU by 0: 0.25 of 0.375 in 4.00 s\ngpu_copies of Some GPU by 0: 0.75 of 0.625 in 4.00 s\n");
  EXPECT_EQ(in_words(task({0, 0, 0.5}, 3, 1s)), "cache of CPU by 3: 0.25 of 0.5 in 4.00 s\n");
  end.time = 10s;
  EXPECT_EQ(in_words(task({0, 0, 0.5}, 3, 1s)), "cache of CPU by 3: -1 of 0.5 in 0 ns\n");
}

TEST(Stress, is_told_while_it_works_and_ends_when_told_enough) {
  std::vector<StressWork> told;
  const StressEnd end = run_stress(task({0, 0, 0.25}, 1, 600s), nullptr, [&](const StressWork& work) {
    told.push_back(work);
    return told.size() < 20;
  });
  ASSERT_EQ(told.size(), 20u);
  for (std::size_t i = 1; i < told.size(); ++i) EXPECT_GE(told[i].time - told[i - 1].time, 10ms) << "every 10 ms";
  EXPECT_GT(told.back().reading, 0ns);
  EXPECT_EQ(told.back().compute, 0ns);
  EXPECT_EQ(told.back().gpu_compute + told.back().gpu_copies, 0ns);
  ASSERT_EQ(end.levels.size(), 1u);
  EXPECT_EQ(end.levels[0].resource, "cache");
}

TEST(Stress, a_child_tells_its_work_in_lines) {
  std::vector<std::string> lines;
  StressTask asked = task({1, 0, 0}, 1, 600s);
  asked.parent = static_cast<int>(::getppid());
  const Nanoseconds begin = steady_now();
  run_stress_child(to_json(asked), [&](const std::string& line) { return lines.push_back(line), lines.size() < 20; });
  const Nanoseconds end = steady_now();
  ASSERT_EQ(lines.size(), 20u);
  const auto words = split(lines.back(), ' ');
  ASSERT_EQ(words.size(), 5u) << lines.back();
  EXPECT_GT(number_in<std::int64_t>(words[0]).value_or(0), begin.count());
  EXPECT_LT(number_in<std::int64_t>(words[0]).value_or(0), end.count());
  EXPECT_GT(number_in<std::int64_t>(words[1]).value_or(0), 0);
  EXPECT_EQ(words[2] + words[3] + words[4], "000");
}

TEST(Stress, ends_by_itself_and_tells_what_it_reached) {
  int tellings = 0;
  const StressEnd end =
      run_stress(task({0.3, 0.2, 0}, 1, 200ms), nullptr, [&](const StressWork&) { return ++tellings > 0; });
  EXPECT_GT(tellings, 1);
  ASSERT_EQ(end.levels.size(), 2u);
  EXPECT_EQ(end.levels[0].resource, "compute");
  EXPECT_EQ(end.levels[1].resource, "memory");
  for (const ReachedLevel& level : end.levels) {
    EXPECT_GT(*level.reached, 0) << level.resource;
    EXPECT_LT(*level.reached, level.wanted * 1.5) << level.resource;
    EXPECT_GE(level.duration, 200ms);
  }
  EXPECT_EQ(end.failure, "");
}

TEST(Stress, shares_are_of_the_time_and_of_the_threads) {
  StressTask asked = task({0.5, 0, 0}, 2, 1s);
  asked.gpu.levels = {0, 0.5};
  StressWork begin, end;
  begin.time = 10s, end.time = 12s;
  begin.compute = 1s, end.compute = 2s;        // of two threads' four seconds
  begin.gpu_copies = 0s, end.gpu_copies = 1s;  // of two
  const auto levels = reached_levels(asked, begin, end, "Some GPU");
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(levels[0].reached, 0.25);
  EXPECT_EQ(levels[0].device, "CPU");
  EXPECT_EQ(levels[1].reached, 0.5);
  EXPECT_EQ(levels[1].device, "Some GPU");
  EXPECT_EQ(reached_levels(asked, begin, begin, "")[0].reached, std::nullopt);
}

TEST(Stress, a_stopped_one_ends_early_and_a_lost_gpu_says_so) {
  const std::atomic<bool> stop{true};
  EXPECT_LT(run_stress(task({1, 0, 0}, 1, 600s), &stop, [](const auto&) { return true; }).levels[0].duration, 300s);
  ::setenv("FAKE_CUDA_LOST_AFTER", "100", 1);
  StressTask gpu = task({0, 0, 0}, 1, 600s);
  gpu.gpu = {{1, 0}, 0, TAKT_FAKE_CUDA};
  const StressEnd end = run_stress(gpu, nullptr, [](const auto&) { return true; });
  ::unsetenv("FAKE_CUDA_LOST_AFTER");
  EXPECT_NE(end.failure.find("unspecified launch failure"), std::string::npos) << end.failure;
  ASSERT_EQ(end.levels.size(), 1u);
  EXPECT_EQ(end.levels[0].device, "Fake GPU");
}

TEST(Stress, a_child_that_loses_its_gpu_ends_with_the_reason) {
  ::setenv("FAKE_CUDA_LOST_AFTER", "100", 1);
  StressTask gpu = task({0, 0, 0}, 1, 600s);
  gpu.gpu = {{1, 0}, 0, TAKT_FAKE_CUDA};
  gpu.parent = ::getppid();
  try {
    run_stress_child(to_json(gpu), [](const std::string&) { return true; });
    ADD_FAILURE() << "it went on";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("unspecified launch failure"), std::string::npos) << error.what();
  }
  ::unsetenv("FAKE_CUDA_LOST_AFTER");
}

TEST(Stressor, tells_what_its_child_reached) {
  // A child in the place of the load: in every second one thread computes for half of one.
  const std::string script =
      "read task; for t in 1 2 3 4; do echo \"${t}000000000 $((t * 500))000000 0 0 0\"; done; sleep 60";
  const Stressor stressor({"/bin/sh", "-c", script}, task({0.5, 0, 0}, 1, 60s));
  std::vector<ReachedLevel> levels;
  for (int turn = 0; turn < 500 && levels.empty(); ++turn) {
    levels = stressor.reached(1s, 4s);
    std::this_thread::sleep_for(10ms);
  }
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_DOUBLE_EQ(*levels[0].reached, 0.5);
  EXPECT_TRUE(stressor.reached(0s, 4s).empty()) << "before it worked";
  EXPECT_TRUE(stressor.reached(2s, 9s).empty()) << "after it told last";
  EXPECT_TRUE(stressor.is_working());
}

TEST(Stressor, a_figure_of_each_kind_is_between_the_tellings_at_both_ends) {
  // Second by second; between 12 s and 14 s other amounts than before and after.
  const std::string script =
      "read task; for line in '10000000000 0 0 0 0' '12000000000 1000000000 100000000 200000000 300000000' "
      "'14000000000 1500000000 500000000 1000000000 1900000000' '15000000000 9000000000 9000000000 9000000000 "
      "9000000000'; "
      "do echo \"$line\"; done; sleep 60";
  StressTask asked = task({0.5, 0.25, 0}, 1, 60s);
  asked.gpu.levels = {0.125, 0.75};
  const Stressor stressor({"/bin/sh", "-c", script}, asked);
  const auto reached = [&](Nanoseconds begin, Nanoseconds end) {
    std::vector<double> shares;
    for (const ReachedLevel& one : stressor.reached(begin, end)) shares.push_back(*one.reached);
    return shares;
  };
  for (int turn = 0; turn < 500 && reached(12s, 15s).empty(); ++turn) std::this_thread::sleep_for(10ms);
  const std::vector<double> middle{0.25, 0.2, 0.4, 0.8};
  EXPECT_EQ(reached(12s, 14s), middle);
  EXPECT_EQ(reached(11s, 13s), middle) << "from the telling after each";
  EXPECT_EQ(reached(12s, 13s).size(), 4u);
  EXPECT_FALSE(reached(10s - 10ms, 12s).empty()) << "as near as one telling to the next";
  EXPECT_TRUE(reached(10s - 10ms - 1ns, 12s).empty());
  EXPECT_FALSE(reached(14s, 15s + 100ms).empty()) << "ten tellings may be on their way";
  EXPECT_TRUE(reached(14s, 15s + 100ms + 1ns).empty());
  EXPECT_TRUE(reached(15s + 1ns, 15s + 2ns).empty()) << "nothing is told from there on";
  for (const ReachedLevel& one : stressor.reached(12s, 14s)) EXPECT_EQ(one.device, one.threads > 0 ? "CPU" : "GPU");
}

TEST(Stressor, has_ended_when_its_child_says_something_else) {
  const Stressor stressor({"/bin/sh", "-c", "read task; echo 1 0 0 0 0; echo 2 0 0 x 0; sleep 60"},
                          task({0.5, 0, 0}, 1, 60s));
  for (int turn = 0; turn < 1000 && stressor.is_working(); ++turn) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(stressor.is_working());
  for (const char* line : {"1 2 3 4", "1 2 3 4 5 6", "x 0 0 0 0"}) {
    const std::string script = "read task; echo " + std::string(line) + "; exit 0";
    EXPECT_TRUE(refused_with([&] {
                  Stressor({"/bin/sh", "-c", script}, task({0.5, 0, 0}, 1, 60s));
                }).starts_with("the stressor ended with "))
        << line;
  }
}

TEST(Stressor, says_why_it_does_not_run) {
  try {
    const Stressor stressor({"/bin/sh", "-c", "echo no driver >&2; exit 3"}, task({1, 0, 0}, 1, 1s));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the stressor ended with exit code 3: no driver");
  }
}

}  // namespace
}  // namespace takt
