#include "model/runtime/worker.h"

#include <gtest/gtest.h>

#include <atomic>

namespace takt {
namespace {

TEST(Worker, a_job_may_start_the_next_from_its_end) {
  std::atomic<int> done{0};
  Worker worker;
  std::function<void()> after = [&] {
    const bool started = ++done >= 5 || worker.start([] {}, after);
    EXPECT_TRUE(started);
  };
  ASSERT_TRUE(worker.start([] {}, after));
  while (done < 5) worker.wait();
  EXPECT_EQ(done, 5);
}

TEST(Worker, a_second_job_is_refused_while_one_runs) {
  std::atomic<bool> go{false};
  Worker worker;
  ASSERT_TRUE(worker.start(
      [&] {
        while (!go) std::this_thread::yield();
      },
      [] {}));
  EXPECT_FALSE(worker.start([] {}, [] {}));
  go = true;
  worker.wait();
  EXPECT_TRUE(worker.start([] {}, [] {}));
}

TEST(Worker, the_destructor_finishes_the_job) {
  std::atomic<int> done{0};
  {
    Worker worker;
    worker.start([&] { ++done; }, [&] { ++done; });
  }
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace takt
