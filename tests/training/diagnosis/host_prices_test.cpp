// What belongs to the price of a fault in trainings without a device beyond the time of its own calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "training/diagnosis/diagnosis.h"

namespace takt {
namespace {

/// One thread of a program; times in microseconds.
class HostThread {
 public:
  HostThread() : row_(trace_.add_row(trace_.add_process("python", 1), "main", 1)) {}
  void call(const std::string& name, const char* category, double length) {
    add(name, category, now_, length);
    now_ += length;
  }
  void op(const std::string& name, double length) { call(name, "cpu_op", length); }
  void pause(double length) { now_ += length; }
  void memory(std::int64_t bytes) {
    trace_.set_args(add("[memory]", "cpu_instant_event", now_, 0),
                    TraceValues{{"Bytes", bytes}, {"Device Type", std::int64_t{0}}});
  }
  void end_step() {
    add("ProfilerStep#" + std::to_string(step_++), "user_annotation", begun_, now_ - begun_);
    begun_ = now_;
  }
  Diagnosis diagnosis() const { return diagnose("made", trace_); }

 private:
  EventId add(const std::string& name, const char* category, double start, double length) {
    return trace_.add_event(row_, name, category, Nanoseconds(static_cast<std::int64_t>(start * 1000)),
                            Nanoseconds(static_cast<std::int64_t>(length * 1000)));
  }
  Trace trace_;
  RowId row_;
  double now_ = 0, begun_ = 0;
  int step_ = 0;
};

double per_step_ms(const Diagnosis& one, std::size_t verdict = 0) {
  return static_cast<double>(one.verdicts.at(verdict).verdict.total()) / 1e6 /
         static_cast<double>(one.steps.list.size());
}

/// Every third of 12 steps waits 30 ms for workers that start, and its operators take 30 instead of 20 ms; the one
/// after it computes for 1 ms longer, and the first step waits for 1 instead of 3 ms.
Diagnosis of_starting_workers(const std::string& loader) {
  HostThread thread;
  for (int step = 0; step < 12; ++step) {
    const bool starts = step % 3 == 1;
    thread.call("enumerate(DataLoader)#" + loader + ".__next__", "user_annotation",
                starts      ? 30'000
                : step == 0 ? 1'000
                            : 3'000);
    thread.op("aten::conv2d", starts ? 30'000 : step % 3 == 2 ? 21'000 : 20'000);
    thread.end_step();
  }
  return thread.diagnosis();
}

TEST(HostPrices, workers_that_start_slow_the_operators_of_their_step_and_hand_batches_over_all_the_same) {
  const Diagnosis one = of_starting_workers("_MultiProcessingDataLoaderIter");
  ASSERT_EQ(one.verdicts.size(), 1u);
  EXPECT_EQ(one.verdicts[0].verdict.cause, TrainingCause::data_starvation);
  EXPECT_NEAR(per_step_ms(one), (27 + 10) / 3.0, 0.01) << "27 ms more of waiting and 10 ms of computing";
  EXPECT_NEAR(per_step_ms(of_starting_workers("_SingleProcessDataLoaderIter")), (30 + 3 + 3) / 3.0 - 2 / 12.0, 0.01)
      << "no workers: what is waited for";
}

/// Four blocks that are made in 4 ms each and given back in `giving`, then used.
Diagnosis of_blocks(double giving, std::int64_t bytes = 32'000'000) {
  HostThread thread;
  for (int step = 0; step < 8; ++step) {
    thread.op("aten::linear", 20'000);
    for (int i = 0; i < 4; ++i) {
      thread.memory(bytes);
      thread.op("aten::zeros", 4'000);
      thread.memory(-bytes);
      thread.pause(giving);
      thread.op("aten::add_", 1'000);
    }
    thread.end_step();
  }
  return thread.diagnosis();
}

TEST(HostPrices, giving_large_blocks_back_is_part_of_churn_and_no_code_of_the_program) {
  const Diagnosis one = of_blocks(3'000);
  ASSERT_EQ(one.verdicts.size(), 1u);
  EXPECT_EQ(one.verdicts[0].verdict.cause, TrainingCause::allocator_churn);
  EXPECT_NEAR(per_step_ms(one), 4 * (4 + 3), 0.01);
  EXPECT_LT(one.unexplained, 0.01);
}

TEST(HostPrices, what_goes_on_long_after_a_block_was_given_back_is_the_programs_own) {
  const Diagnosis one = of_blocks(22'000);
  ASSERT_EQ(one.verdicts.size(), 2u);
  EXPECT_EQ(one.verdicts[0].verdict.cause, TrainingCause::host_bound);
  EXPECT_NEAR(per_step_ms(one, 0), 4 * 14, 0.01) << "beyond 8 ms for 32 MB";
  EXPECT_NEAR(per_step_ms(one, 1), 4 * (4 + 8), 0.01);
  const Diagnosis small = of_blocks(3'000, 1'000'000);
  ASSERT_FALSE(small.verdicts.empty());
  EXPECT_EQ(small.verdicts[0].verdict.cause, TrainingCause::host_bound) << "small blocks stay in the program";
  EXPECT_NEAR(per_step_ms(small), 12, 0.01);
  EXPECT_NEAR(per_step_ms(of_blocks(3'000, 2'000'000)), 4 * 2.5, 0.01) << "0.5 ms for 2 MB";
}

}  // namespace
}  // namespace takt
