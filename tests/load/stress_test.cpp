#include "predict/stress/stress.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "base/system/usage.h"

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
  EXPECT_THROW(parse_stress_task(""), Error);
  EXPECT_THROW(parse_stress_task("{}"), Error);
  EXPECT_THROW(check_stress(task({0, 0, 0}, 1, 1s)), Error) << "nothing to do";
  EXPECT_THROW(check_stress(task({0.7, 0.7, 0}, 1, 1s)), Error);
  EXPECT_THROW(check_stress(task({1, 0, 0}, 0, 1s)), Error);
  EXPECT_THROW(check_stress(task({1, 0, 0}, 1, 0s)), Error);
  StressTask gpu = task({0, 0, 0}, 1, 1s);
  gpu.gpu.levels = {0.6, 0.6};
  EXPECT_THROW(check_stress(gpu), Error);
  EXPECT_THROW(parse_stress_task(to_json(gpu)), Error);
  EXPECT_THROW(run_stress(gpu, nullptr, [](const auto&) { return true; }), Error);
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
