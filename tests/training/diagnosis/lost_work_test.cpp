// Work of a device that a profiler lost, and what it adds of its own: none of it is the training's.
#include "training/steps/lost_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "training/diagnosis/device_line.h"
#include "training/diagnosis/diagnosis.h"
#include "training/diagnosis/tables.h"

namespace takt {
namespace {

std::string words_of_trace(const Diagnosis& one) { return diagnosis_text(std::span(&one, 1), {.width = 1000}); }

bool lacks_data_for(const Diagnosis& one, TrainingCause cause) {
  return std::any_of(one.abstentions.begin(), one.abstentions.end(),
                     [&](const Abstention& abstention) { return abstention.cause == cause; });
}

/// Steps of 20 kernels of 200 µs and one read of the loss; `lost` of 4 kernels are not in the trace.
DeviceLine steps_with(int lost, int steps = 8) {
  DeviceLine line;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < 20; ++i) line.kernel("aten::linear", "gemm", 200, i % 4 < lost);
    line.give("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)", "gpu_memcpy", 2);
    line.busy_until = std::max(line.busy_until, line.now + 4000);
    line.synchronise();
    line.end_step();
  }
  return line;
}

TEST(LostWork, copies_without_a_kernel_tell_nothing_of_the_device) {
  const Diagnosis one = diagnose("made", steps_with(4).trace);
  EXPECT_TRUE(one.verdicts.empty()) << name_of(one.verdicts[0].verdict.cause);
  EXPECT_TRUE(lacks_data_for(one, TrainingCause::host_synchronisation));
  EXPECT_TRUE(lacks_data_for(one, TrainingCause::host_bound));
  EXPECT_FALSE(one.is_healthy());
}

TEST(LostWork, of_a_part_is_told_and_of_most_makes_rules_abstain) {
  const Diagnosis some = diagnose("made", steps_with(1).trace), most = diagnose("made", steps_with(3).trace);
  EXPECT_NEAR(some.steps.lost_share, 0.25, 0.02);
  EXPECT_THAT(words_of_trace(some), testing::HasSubstr("Of the calls that launch work, 24 % have none in the trace"));
  EXPECT_FALSE(lacks_data_for(some, TrainingCause::host_bound));
  EXPECT_NEAR(most.steps.lost_share, 0.75, 0.04);
  EXPECT_TRUE(lacks_data_for(most, TrainingCause::host_bound));
  EXPECT_TRUE(most.verdicts.empty());
  EXPECT_EQ(diagnose("made", steps_with(0).trace).steps.lost_share, 0);
}

TEST(LostWork, calls_of_a_name_that_never_has_work_lose_none) {
  DeviceLine line;
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < 20; ++i) {
      line.give("cudaLaunchHostFunc", "", "", 0, true);
      line.kernel("aten::linear", "gemm", 200);
    }
    line.end_step();
  }
  EXPECT_EQ(diagnose("made", line.trace).steps.lost_share, 0);
}

// Requests of a server: graphs of 10 ms, of which the profiler kept the last two alone.
TEST(LostWork, passes_are_told_by_their_annotations_where_no_kernels_come_again) {
  DeviceLine line;
  for (int pass = 0; pass < 16; ++pass) {
    const double start = line.now;
    line.give("cudaGraphLaunch", "decode_" + std::to_string(pass), "kernel", 9'000, pass < 14);
    line.now += 10'000;
    line.add(line.loop, "execute_context_0(0)_generation_" + std::to_string(8 + pass) + "(8)", "user_annotation", start,
             line.now - start);
  }
  const Diagnosis one = diagnose("made", line.trace);
  EXPECT_EQ(one.steps.source, StepSource::annotation);
  EXPECT_EQ(one.steps.list.size(), 2u);
  EXPECT_EQ(one.steps.unrecorded.size(), 14u);
  EXPECT_THAT(words_of_trace(one), testing::HasSubstr("Left out: steps 0-13, whose device work is not in the trace"));
}

TEST(LostWork, the_profiler_itself_is_no_code_of_the_program) {
  DeviceLine line;
  for (int step = 0; step < 8; ++step) {
    for (int i = 0; i < 20; ++i) line.kernel("aten::linear", "gemm", 50);
    line.now = line.busy_until;
    line.add(line.loop, "Activity Buffer Request", "overhead", line.now + 1, 2'990);
    line.add(line.loop, "cudaLaunchKernel", "cuda_runtime", line.now, 3'000,
             {{"correlation", std::int64_t{9000 + step}}});
    line.now += 3'000;
    line.add(line.stream, "gemm", "kernel", line.now, 50, {{"correlation", std::int64_t{9000 + step}}});
    line.busy_until = line.now + 50;
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  ASSERT_EQ(one.verdicts.size(), 1u);
  EXPECT_EQ(one.verdicts[0].verdict.cause, TrainingCause::host_bound);
  EXPECT_NEAR(static_cast<double>(one.verdicts[0].verdict.total()) / 8e6, 2.99, 0.2);
  EXPECT_THAT(one.verdicts[0].verdict.evidence, testing::HasSubstr("the profiler (Activity Buffer Request)"));
}

// Steps of 4 ms; the last one ends with 180 ms in which the profiler is stopped.
TEST(LostWork, one_slow_step_explains_no_other) {
  DeviceLine line;
  for (int step = 0; step < 8; ++step) {
    for (int i = 0; i < 20; ++i) line.kernel("aten::linear", "gemm", 200);
    if (step == 7) line.now = line.busy_until + 180'000;
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  EXPECT_TRUE(one.verdicts.empty() || one.verdicts[0].verdict.cause == TrainingCause::compute_bound)
      << one.verdicts[0].verdict.evidence;
  EXPECT_LT(one.unexplained, 0.05);
  EXPECT_THAT(words_of_trace(one), testing::HasSubstr("Step 7 took 184 ms"));
}

/// The program launches far ahead, and waits at the end of a step.
Diagnosis with_clock_off(double micros) {
  DeviceLine line;
  line.now = line.busy_until = 10'000;
  line.clock_off = micros;
  for (int step = 0; step < 8; ++step) {
    for (int i = 0; i < 40; ++i) line.kernel("aten::linear", "gemm", 400);
    line.synchronise();
    line.now += 6'000;
    line.end_step();
  }
  return diagnose("made", line.trace);
}

TEST(LostWork, work_before_its_launch_tells_that_the_clocks_differ_and_rules_abstain) {
  const Diagnosis early = with_clock_off(-3'000), exact = with_clock_off(0), near = with_clock_off(-40);
  EXPECT_TRUE(early.verdicts.empty()) << early.verdicts[0].verdict.evidence;
  EXPECT_TRUE(lacks_data_for(early, TrainingCause::host_bound));
  EXPECT_THAT(words_of_trace(early), testing::HasSubstr("begins up to 3.00 ms before the calls that launched it"));
  for (const Diagnosis& one : {exact, near}) {
    EXPECT_EQ(one.steps.device_lead, 0);
    ASSERT_FALSE(one.verdicts.empty());
    EXPECT_EQ(one.verdicts[0].verdict.cause, TrainingCause::host_bound);
  }
}

}  // namespace
}  // namespace takt
