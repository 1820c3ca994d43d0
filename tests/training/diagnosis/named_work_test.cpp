// Spans whose names say what they stand for: the compiler of networks, and loaders that start their workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "training/diagnosis/diagnosis.h"
#include "training/steps/roles.h"

namespace takt {
namespace {

/// Steps on one thread without a device; times in microseconds.
class Line {
 public:
  void add(const char* name, const char* category, std::int64_t start, std::int64_t length) {
    trace_.add_event(row_, name, category, Nanoseconds((begin_ + start) * 1000), Nanoseconds(length * 1000));
  }
  void op(const char* name, std::int64_t start, std::int64_t length) { add(name, "cpu_op", start, length); }
  void end_step(std::int64_t length) {
    add(("ProfilerStep#" + std::to_string(step_++)).c_str(), "user_annotation", 0, length);
    begin_ += length;
  }
  Diagnosis diagnosis() const { return diagnose("made", trace_); }

 private:
  Trace trace_;
  RowId row_ = trace_.add_row(trace_.add_process("python", 1), "main", 1);
  std::int64_t begin_ = 0;
  int step_ = 0;
};

TEST(NamedWork, spans_of_the_compiler_are_no_operators) {
  EXPECT_EQ(role_of("cpu_op", "_compile.compile_inner (dynamo_timed)"), Role::compilation);
  EXPECT_EQ(role_of("user_annotation", "OutputGraph.call_user_compiler (dynamo_timed)"), Role::compilation);
  EXPECT_EQ(role_of("cpu_op", "dynamo"), Role::compilation);
  EXPECT_EQ(role_of("cpu_op", "entire_frame_compile"), Role::compilation);
  EXPECT_EQ(role_of("user_annotation", "dynamo"), Role::annotation) << "a name of the program's own";
  EXPECT_EQ(role_of("cpu_op", "Torch-Compiled Region: 0/1"), Role::op) << "what was compiled runs there";
}

// 10 ms of each step of 30 ms are computed; in 20 ms the network is compiled, or an annotation of the program's own.
Diagnosis with_span_around_operators(const char* name, const char* category) {
  Line line;
  for (int step = 0; step < 8; ++step) {
    line.op("aten::conv2d", 0, 9'900);
    line.add(name, category, 10'000, 20'000);
    line.op("aten::batch_norm", 10'100, 19'000);
    line.end_step(30'000);
  }
  return line.diagnosis();
}

TEST(NamedWork, what_the_compiler_runs_computes_nothing) {
  const Diagnosis one = with_span_around_operators("_compile.compile_inner (dynamo_timed)", "cpu_op");
  ASSERT_EQ(one.verdicts.size(), 1u);
  const TrainingVerdict& verdict = one.verdicts[0].verdict;
  EXPECT_EQ(verdict.cause, TrainingCause::host_bound);
  EXPECT_NEAR(static_cast<double>(verdict.total()), 8 * 20.1e6, 8 * 0.2e6);
  EXPECT_THAT(verdict.evidence,
              testing::HasSubstr("compiled again: 20.1 ms in '_compile.compile_inner (dynamo_timed)'"));
  EXPECT_THAT(verdict.fix, testing::HasSubstr("TORCH_LOGS=recompiles"));
}

TEST(NamedWork, operators_in_an_annotation_compute) {
  const Diagnosis one = with_span_around_operators("forward", "user_annotation");
  ASSERT_EQ(one.verdicts.size(), 1u);
  EXPECT_EQ(one.verdicts[0].verdict.cause, TrainingCause::compute_bound) << one.verdicts[0].verdict.evidence;
}

// Each step of 30 ms computes for 18 ms, draws a seed, and after 10 ms waits 1 ms for its first batch.
Diagnosis with_pause_before_a_batch(const std::vector<const char*>& draws, const char* loader) {
  Line line;
  for (int step = 0; step < 8; ++step) {
    line.op("aten::conv2d", 0, 18'000);
    std::int64_t at = 18'100;
    for (const char* draw : draws) {
      line.op(draw, at, 10);
      at += 12;
    }
    line.add(loader, "user_annotation", 28'500, 1'000);
    line.end_step(30'000);
  }
  return line.diagnosis();
}

TEST(NamedWork, starting_the_workers_of_an_epoch_is_the_loaders) {
  constexpr auto workers = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
  constexpr auto none = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
  const auto first = [](const Diagnosis& one) { return one.verdicts.at(0).verdict; };
  const TrainingVerdict started =
      first(with_pause_before_a_batch({"aten::empty", "aten::random_", "aten::item"}, workers));
  EXPECT_EQ(started.cause, TrainingCause::data_starvation);
  EXPECT_NEAR(static_cast<double>(started.total()), 8 * 11.4e6, 8 * 0.1e6) << "the seed was read at 18.13 ms";
  const TrainingVerdict shuffled = first(with_pause_before_a_batch(
      {"aten::random_", "aten::item", "aten::random_", "aten::item", "aten::randperm"}, workers));
  EXPECT_NEAR(static_cast<double>(shuffled.total()), 8 * 11.4e6, 8 * 0.1e6) << "from the first seed on";
  EXPECT_EQ(first(with_pause_before_a_batch({"aten::random_", "aten::item", "aten::mul"}, workers)).cause,
            TrainingCause::host_bound)
      << "the program went on to something else";
  EXPECT_EQ(first(with_pause_before_a_batch({"aten::item"}, workers)).cause, TrainingCause::host_bound)
      << "a value that was read is no seed";
  EXPECT_EQ(first(with_pause_before_a_batch({"aten::random_", "aten::item"}, none)).cause, TrainingCause::host_bound)
      << "without workers none are started";
}

}  // namespace
}  // namespace takt
