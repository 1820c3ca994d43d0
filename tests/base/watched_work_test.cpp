#include "base/system/watched_work.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "refused.h"

namespace takt {
namespace {

using std::chrono::milliseconds;
using Kind = WatchedEnd::Kind;

/// A call into somebody else's code that comes back when the test says so.
struct Hanging {
  std::atomic<bool> let_go = false;
  void call() const {
    while (!let_go) std::this_thread::sleep_for(milliseconds(1));
  }
};

TEST(WatchedWork, work_in_time_comes_to_its_end) {
  int done = 0;
  const auto end = watch(
      [&] {
        for (int i = 0; i < 5; ++i) {
          begin_step("step");
          std::this_thread::sleep_for(milliseconds(20));
        }
        done = 1;
      },
      {std::chrono::seconds(60)});
  EXPECT_EQ(end.kind, Kind::done);
  EXPECT_EQ(done, 1);
  EXPECT_FALSE(end.is_abandoned);
}

TEST(WatchedWork, what_it_throws_comes_out) {
  EXPECT_EQ(refused_with([] { watch([] { throw std::runtime_error("broken"); }, {std::chrono::seconds(60)}); }),
            "broken");
}

TEST(WatchedWork, a_late_step_is_named_and_the_next_one_never_begins) {
  bool went_on = false;
  const auto end = watch(
      [&] {
        const StepPrefix stage("stage 'a', ");
        begin_step("opening it");
        std::this_thread::sleep_for(milliseconds(150));
        begin_step("running it");
        went_on = true;
      },
      {milliseconds(30)});
  EXPECT_EQ(end.kind, Kind::late);
  EXPECT_EQ(end.step, "stage 'a', opening it");
  EXPECT_FALSE(end.is_abandoned);
  EXPECT_FALSE(went_on);
}

TEST(WatchedWork, the_limit_is_that_of_a_step_not_of_all) {
  const auto end = watch(
      [] {
        for (int i = 0; i < 20; ++i) {
          begin_step("short");
          std::this_thread::sleep_for(milliseconds(50));
        }
      },
      {milliseconds(800)});
  EXPECT_EQ(end.kind, Kind::done);
}

TEST(WatchedWork, prefixes_are_nested_and_end_with_their_scope) {
  const auto end = watch(
      [] {
        const StepPrefix outer("a, ");
        { const StepPrefix inner("b, "); }
        begin_step("c");
        std::this_thread::sleep_for(milliseconds(150));
        begin_step("d");
      },
      {milliseconds(30)});
  EXPECT_EQ(end.step, "a, c");
}

TEST(WatchedWork, work_that_hangs_is_abandoned_with_what_it_owns) {
  const auto hanging = std::make_shared<Hanging>();
  const auto end = watch(
      [hanging] {
        begin_step("hanging");
        hanging->call();
      },
      {milliseconds(20)});
  EXPECT_EQ(end.kind, Kind::late);
  EXPECT_EQ(end.step, "hanging");
  EXPECT_TRUE(end.is_abandoned);
  EXPECT_TRUE(has_abandoned_work());
  EXPECT_EQ(hanging.use_count(), 2) << "its thread still has it";
  hanging->let_go = true;
  while (hanging.use_count() > 1) std::this_thread::sleep_for(milliseconds(1));
}

TEST(WatchedWork, a_stop_does_not_wait_for_the_limit) {
  std::atomic<bool> stop{true};
  const auto hanging = std::make_shared<Hanging>();
  const auto end = watch(
      [hanging] {
        begin_step("hanging");
        hanging->call();
      },
      {std::chrono::hours(1), &stop});
  EXPECT_EQ(end.kind, Kind::stopped);
  EXPECT_TRUE(end.is_abandoned);
  hanging->let_go = true;
  while (hanging.use_count() > 1) std::this_thread::sleep_for(milliseconds(1));
}

TEST(WatchedWork, without_a_watcher_the_last_step_is_known_all_the_same) {
  const StepPrefix model("a.onnx, ");
  begin_step("running it");
  EXPECT_EQ(begun_step(), "a.onnx, running it");
}

}  // namespace
}  // namespace takt
