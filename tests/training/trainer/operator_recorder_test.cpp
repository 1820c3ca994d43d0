// What libtorch's callbacks tell, while other threads forget it.
#include "training/trainer/operator_recorder.h"

#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/basics/units.h"

namespace takt {
namespace {

const LoggedThread* thread_with_spans(const std::vector<LoggedThread>& threads, const std::string& name) {
  for (const LoggedThread& thread : threads)
    if (std::find(thread.names.begin(), thread.names.end(), name) != thread.names.end() && !thread.spans.empty())
      return &thread;
  return nullptr;
}

TEST(OperatorRecorder, tells_spans_and_what_they_are_in) {
  OperatorRecorder recorder;
  { RECORD_USER_SCOPE("before"); }
  recorder.restart();
  {
    RECORD_USER_SCOPE("outer");
    { RECORD_USER_SCOPE("first"); }
    { RECORD_USER_SCOPE("second"); }
  }
  { RECORD_USER_SCOPE("outer"); }
  const auto threads = recorder.stop();
  { RECORD_USER_SCOPE("after"); }
  ASSERT_FALSE(threads.empty());
  const LoggedThread& main = threads.front();
  EXPECT_EQ(main.name, "main");
  ASSERT_EQ(main.spans.size(), 4u) << "neither before nor after";
  const char* const names[] = {"outer", "first", "second", "outer"};
  const std::int32_t parents[] = {-1, 0, 0, -1};
  for (std::size_t i = 0; i < 4; ++i) {
    const LoggedSpan& span = main.spans[i];
    EXPECT_EQ(main.names.at(span.name), names[i]);
    EXPECT_EQ(span.parent, parents[i]);
    EXPECT_TRUE(span.is_annotation);
    EXPECT_GE(span.end_ns, span.start_ns);
    if (i > 0) {
      EXPECT_GE(span.start_ns, main.spans[i - 1].start_ns);
    }
  }
  EXPECT_GE(main.spans[0].end_ns, main.spans[2].end_ns);
}

// A span that is begun while another thread forgets what came before is either before or after: one that is there began
// behind the last restart and has its end. Without its lock one in ten restarts leaves such a span without its end.
TEST(OperatorRecorder, forgets_whole_spans_of_other_threads) {
  constexpr int rounds = 400;
  int seen = 0;
  for (int round = 0; round < rounds; ++round) {
    OperatorRecorder recorder;
    std::atomic<int> begun{0};
    std::atomic<bool> is_done{false};
    std::thread other([&] {
      for (int i = 0; !is_done.load(std::memory_order_relaxed); ++i) {
        RECORD_USER_SCOPE("other");
        begun.store(i, std::memory_order_relaxed);
      }
    });
    while (begun.load(std::memory_order_relaxed) < 20) std::this_thread::yield();
    for (int i = 0; i < 5; ++i) recorder.restart();
    const std::int64_t before = steady_now().count();
    recorder.restart();
    is_done = true;
    other.join();
    const auto threads = recorder.stop();
    const LoggedThread* const logged = thread_with_spans(threads, "other");
    if (logged == nullptr) continue;
    ++seen;
    for (const LoggedSpan& span : logged->spans) {
      ASSERT_GE(span.start_ns, before) << "round " << round;
      ASSERT_GE(span.end_ns, span.start_ns) << "round " << round;
      ASSERT_EQ(span.parent, -1) << "round " << round;
    }
  }
  EXPECT_GT(seen, rounds / 20) << "the threads did not run at once";
}

}  // namespace
}  // namespace takt
