// Kinds of slowness that people reported of their trainings and servers, rebuilt; each with what is true of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "training/diagnosis/device_line.h"
#include "training/diagnosis/diagnosis.h"
#include "training/diagnosis/made_training.h"
#include "training/diagnosis/tables.h"

namespace takt {
namespace {

using testing::HasSubstr;
using testing::Not;

void compute(DeviceLine& line, int kernels = 20, double length = 400) {
  for (int i = 0; i < kernels; ++i) line.kernel("aten::linear", "gemm", length);
}

const TrainingVerdict* first_verdict(const Diagnosis& one) {
  return one.verdicts.empty() ? nullptr : &one.verdicts[0].verdict;
}

bool has_cause(const Diagnosis& one, TrainingCause cause) {
  return std::any_of(one.verdicts.begin(), one.verdicts.end(),
                     [&](const PlacedVerdict& placed) { return placed.verdict.cause == cause; });
}

double saved_per_step(const Diagnosis& one) {
  const TrainingVerdict* verdict = first_verdict(one);
  return verdict == nullptr ? 0
                            : static_cast<double>(verdict->total()) / 1e3 / static_cast<double>(one.steps.list.size());
}

void expect_first(const Diagnosis& one, TrainingCause cause, const std::string& evidence, const std::string& fix) {
  const TrainingVerdict* verdict = first_verdict(one);
  ASSERT_NE(verdict, nullptr);
  EXPECT_EQ(verdict->cause, cause);
  EXPECT_THAT(verdict->evidence, HasSubstr(evidence));
  EXPECT_THAT(verdict->fix, HasSubstr(fix));
}

std::size_t steps_of_warm_up(const std::vector<double>& lengths) {
  DeviceLine line;
  for (const double length : lengths) {
    compute(line, 10, length / 10);
    line.synchronise();
    line.end_step();
  }
  return diagnose("made", line.trace).steps.warm_up.size();
}

TEST(ReportedKinds, several_first_steps_are_a_warm_up_and_batches_that_shrink_are_none) {
  const std::vector<double> steady(9, 10'000);
  std::vector<double> tuned{90'000, 80'000}, three{50'000, 60'000, 40'000}, shrinking;
  tuned.insert(tuned.end(), steady.begin(), steady.end());
  three.insert(three.end(), steady.begin(), steady.end());
  for (int i = 0; i < 20; ++i) shrinking.push_back(24'000 - 800 * i);
  EXPECT_EQ(steps_of_warm_up(tuned), 2u);
  EXPECT_EQ(steps_of_warm_up(three), 3u);
  EXPECT_EQ(steps_of_warm_up(shrinking), 0u);
  EXPECT_EQ(steps_of_warm_up(steady), 0u);
}

TEST(ReportedKinds, long_and_short_requests_are_passes_and_no_stall) {
  DeviceLine line;
  const auto pass = [&](const std::string& name, int layers, double length) {
    const double start = line.now;
    for (int i = 0; i < layers; ++i)
      for (const char* kernel : {"gemm", "gelu", "norm", "softmax"}) line.kernel("aten::linear", kernel, length);
    line.add(line.loop, name, "user_annotation", start, line.now - start);
    line.synchronise();
  };
  for (int request = 0; request < 5; ++request) {
    pass("execute_context_1(512)_generation_0(0)", 15, 500);
    for (int i = 0; i < 10; ++i) pass("execute_context_0(0)_generation_" + std::to_string(8 + i) + "(8)", 1, 600);
  }
  const Diagnosis one = diagnose("made", line.trace);
  EXPECT_EQ(one.steps.list.size(), 55u);
  EXPECT_EQ(one.steps.source, StepSource::annotation);
  EXPECT_FALSE(has_cause(one, TrainingCause::periodic_stall));
}

TEST(ReportedKinds, steps_are_found_where_every_kernel_comes_many_times_in_each) {
  constexpr std::array<const char*, 4> layers{"gemm", "gelu", "norm", "softmax"};
  DeviceLine line;
  for (int step = 0; step < 8; ++step) {
    for (int i = 0; i < 60; ++i) line.kernel("aten::linear", layers[static_cast<std::size_t>(i) % 4], 100);
    for (int i = 0; i < 6; ++i) line.kernel("aten::_fused_adamw_", "adam", 60);
  }
  EXPECT_EQ(diagnose("made", line.trace).steps.list.size(), 8u);
}

/// Of 20 steps each `period`-th one computes longer, by as many kernels or by more.
bool has_stall(int period, bool by_more_kernels) {
  DeviceLine line;
  for (int step = 0; step < 20; ++step) {
    const bool is_long = step % period == period - 1;
    compute(line, is_long && by_more_kernels ? 50 : 20, is_long && !by_more_kernels ? 1000 : 400);
    line.synchronise();
    line.end_step();
  }
  return has_cause(diagnose("made", line.trace), TrainingCause::periodic_stall);
}

TEST(ReportedKinds, larger_batches_now_and_then_are_no_stall_and_a_validation_is) {
  EXPECT_FALSE(has_stall(2, false));
  EXPECT_FALSE(has_stall(5, false));
  EXPECT_TRUE(has_stall(5, true));
}

TEST(ReportedKinds, what_a_stall_explains_is_not_unexplained) {
  DeviceLine line;
  for (int step = 0; step < 12; ++step) {
    compute(line);
    line.synchronise();
    if (step % 4 == 3) line.call("ModelCheckpoint.on_train_batch_end", "user_annotation", 40'000);
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  expect_first(one, TrainingCause::periodic_stall, "every 4 steps", "checkpoints");
  EXPECT_LT(one.unexplained, 0.02);
}

// The program is ahead until it reads whether a gradient overflowed; behind that it launches as slowly as it did before.
TEST(ReportedKinds, a_read_that_takes_the_programs_lead_is_to_blame_for_late_launches) {
  DeviceLine line;
  for (int step = 0; step < 8; ++step) {
    compute(line, 40, 80);
    line.synchronise();
    for (int i = 0; i < 40; ++i) {
      line.kernel("aten::_foreach_mul_", "multi_tensor", 14);
      line.now += 12;
    }
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  EXPECT_TRUE(has_cause(one, TrainingCause::host_synchronisation)) << diagnosis_text(std::span(&one, 1), {});
}

Diagnosis with_calls(const std::string& call, double length) {
  DeviceLine line;
  for (int step = 0; step < 8; ++step) {
    line.call(call, "cuda_runtime", length);
    compute(line);
    line.synchronise();
    line.end_step();
  }
  return diagnose("made", line.trace);
}

TEST(ReportedKinds, calls_that_prepare_the_device_say_what_to_keep) {
  expect_first(with_calls("cudaGraphInstantiateWithFlags", 9'000), TrainingCause::host_bound, "captured again",
               "Capture each graph once");
  expect_first(with_calls("cuLibraryLoadData", 9'000), TrainingCause::host_bound, "code of kernels", "MODULE_LOADING");
  expect_first(with_calls("cudaSomethingElse", 9'000), TrainingCause::host_bound, "something else",
               "in another thread");
}

TEST(ReportedKinds, an_optimizer_on_the_host_is_named) {
  DeviceLine line;
  for (int step = 0; step < 6; ++step) {
    compute(line);
    line.synchronise();
    line.call("Optimizer.step#DeepSpeedCPUAdam.step", "user_annotation", 20'000);
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  expect_first(one, TrainingCause::host_bound, "in 'Optimizer.step#DeepSpeedCPUAdam.step'", "");
  EXPECT_NEAR(saved_per_step(one), 20'000, 400);
}

TEST(ReportedKinds, a_device_that_another_program_uses_is_not_the_programs_fault) {
  DeviceLine line;
  for (int step = 0; step < 10; ++step) {
    for (int i = 0; i < 20; ++i) {
      if (i % 7 == 3) line.busy_until += 2'000;
      line.kernel("aten::linear", "gemm", 400);
    }
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  expect_first(one, TrainingCause::shared_device, "work that was launched before does not begin", "who else");
  EXPECT_LT(one.unexplained, 0.05);
}

/// Ten steps of 40 kernels of five names; `length` gives the time of one by step and place.
template <typename Length>
Diagnosis with_lengths(Length length) {
  constexpr std::array<const char*, 5> names{"gemm", "gelu", "norm", "softmax", "adam"};
  DeviceLine line;
  for (int step = 0; step < 10; ++step) {
    for (int i = 0; i < 40; ++i)
      line.kernel("aten::linear", names[static_cast<std::size_t>(i) % 5], length(step, i) * (100 + 20 * (i % 5)));
    line.synchronise();
    line.end_step();
  }
  return diagnose("made", line.trace);
}

TEST(ReportedKinds, kernels_that_take_longer_now_and_then_share_their_device) {
  const Diagnosis shared = with_lengths([](int step, int i) { return (step * 40 + i) * 7919 % 11 < 2 ? 4.0 : 1.0; });
  expect_first(shared, TrainingCause::shared_device, "far longer than in other steps", "who else");
  // Two of eleven take three times as much again: 6/17 of the step.
  EXPECT_NEAR(static_cast<double>(first_verdict(shared)->total()) / static_cast<double>(shared.breakdown.total), 0.353,
              0.02);
  const Diagnosis batches = with_lengths([](int step, int) { return step % 3 == 1 ? 4.0 : 1.0; }),
                  data = with_lengths([](int step, int i) { return i % 5 == 2 && (step + i) % 3 == 0 ? 9.0 : 1.0; }),
                  even = with_lengths([](int step, int i) { return 1 + 0.04 * ((step * 40 + i) * 7919 % 11); });
  for (const Diagnosis& one : {batches, data, even}) EXPECT_FALSE(has_cause(one, TrainingCause::shared_device));
}

TEST(ReportedKinds, pauses_behind_functions_of_the_program_have_no_cause) {
  DeviceLine line;
  for (int step = 0; step < 10; ++step) {
    for (int i = 0; i < 20; ++i) {
      if (i % 7 == 3) line.call("cudaLaunchHostFunc", "cuda_runtime", 5), line.busy_until += 2'000;
      line.kernel("aten::linear", "gemm", 400);
    }
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  EXPECT_TRUE(one.verdicts.empty()) << one.verdicts[0].verdict.evidence;
  EXPECT_GT(one.unexplained, 0.2);
}

Diagnosis with_copies(const std::string& name, double length, std::int64_t bytes) {
  DeviceLine line;
  for (int step = 0; step < 8; ++step) {
    line.give("cudaMemcpyAsync", name, "gpu_memcpy", length, false, {{"bytes", bytes}});
    compute(line);
    line.synchronise();
    line.end_step();
  }
  return diagnose("made", line.trace);
}

TEST(ReportedKinds, copies_say_how_fast_they_are_and_between_whom) {
  expect_first(with_copies("Memcpy PtoP (Device -> Device)", 8'000, 24'000'000), TrainingCause::exposed_copy,
               "between devices take 8.00 ms per step while no kernel runs, at 3.0 GB/s", "topo");
  expect_first(with_copies("Memcpy HtoD (Pinned -> Device)", 8'000, 12'000'000), TrainingCause::exposed_copy,
               "at 1.5 GB/s", "Check the link");
  const Diagnosis fast = with_copies("Memcpy HtoD (Pinned -> Device)", 8'000, 160'000'000);
  ASSERT_NE(first_verdict(fast), nullptr);
  EXPECT_THAT(first_verdict(fast)->fix, Not(HasSubstr("link")));
}

TEST(ReportedKinds, ranks_that_communicate_through_their_hosts_are_told_so) {
  DeviceLine line;
  const RowId gloo = line.trace.add_row(line.trace.rows()[0].process, "pt_gloo_runloop", 77);
  for (int step = 0; step < 8; ++step) {
    compute(line);
    line.synchronise();
    line.add(gloo, "gloo:all_reduce", "cpu_op", line.now, 8'000);
    line.now += 8'000;
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  expect_first(one, TrainingCause::exposed_communication, "on the hosts for 8.00 ms", "nccl");
  EXPECT_NEAR(saved_per_step(one), 8'000, 200);
  EXPECT_LT(one.unexplained, 0.02);
}

std::string advice_for_pieces(std::int64_t elements) {
  DeviceLine line;
  for (int step = 0; step < 8; ++step) {
    compute(line);
    line.give(
        "cudaLaunchKernelExC", "ncclDevKernel_AllReduce_Sum_f32_TREE_LL", "kernel", 6'000, false,
        {{"Collective name", std::string("allreduce")}, {"In msg nelems", elements}, {"dtype", std::string("Float")}});
    line.synchronise();
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  const TrainingVerdict* verdict = first_verdict(one);
  return verdict == nullptr ? "" : verdict->evidence + verdict->fix;
}

TEST(ReportedKinds, a_sum_of_one_number_that_takes_long_waits_for_other_ranks) {
  EXPECT_THAT(advice_for_pieces(1), HasSubstr("6.00 ms of it in pieces that move next to nothing"));
  EXPECT_THAT(advice_for_pieces(25'000'000), HasSubstr("faster interconnect"));
}

Diagnosis with_reads(double length) {
  DeviceLine line;
  for (int step = 0; step < 8; ++step) {
    for (int i = 0; i < 60; ++i) line.call("aten::linear", "cpu_op", 50);
    line.call("aten::_local_scalar_dense", "cpu_op", length);
    line.end_step();
  }
  return diagnose("made", line.trace);
}

TEST(ReportedKinds, long_reads_wait_for_a_device_that_is_not_recorded) {
  const Diagnosis unseen = with_reads(20'000);
  EXPECT_TRUE(unseen.verdicts.empty());
  EXPECT_FALSE(unseen.abstentions.empty());
  EXPECT_TRUE(has_cause(with_reads(2), TrainingCause::compute_bound));
}

TEST(ReportedKinds, convolutions_in_the_wrong_layout_are_told) {
  DeviceLine line;
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < 20; ++i) {
      line.kernel("aten::cudnn_convolution", "void cudnn::ops::nchwToNhwcKernel<__half>", 100);
      line.kernel("aten::cudnn_convolution", "sm80_xmma_fprop_implicit_gemm_f16f16", 300);
    }
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  EXPECT_NEAR(one.layout_share, 0.25, 0.01);
  EXPECT_THAT(diagnosis_text(std::span(&one, 1), {.width = 1000}), HasSubstr("Layout: 25 % of the time"));
}

TEST(ReportedKinds, own_code_has_its_price_where_nothing_tells_what_launched_what) {
  DeviceLine line;
  for (int step = 0; step < 8; ++step) {
    compute(line, 30);
    line.synchronise();
    line.now += 9'000;
    line.end_step();
  }
  const Diagnosis one = diagnose("made", without_argument(line.trace, "correlation"));
  expect_first(one, TrainingCause::host_bound, "the program does something else", "");
  EXPECT_NEAR(saved_per_step(one), 9'000, 200);
}

TEST(ReportedKinds, work_behind_the_last_mark_is_of_no_step) {
  DeviceLine line;
  for (int step = 0; step < 6; ++step) {
    compute(line);
    line.synchronise();
    line.end_step();
  }
  compute(line, 12);
  const Diagnosis one = diagnose("made", line.trace);
  ASSERT_EQ(one.steps.list.size(), 6u);
  const auto length = [](const TrainingStep& step) { return static_cast<double>(step.span.end - step.span.start); };
  EXPECT_NEAR(length(one.steps.list[5]), length(one.steps.list[4]), 0.02 * length(one.steps.list[4]));
}

TEST(ReportedKinds, own_code_between_graphs_is_own_code_below_a_millisecond_too) {
  DeviceLine line;
  for (int step = 0; step < 30; ++step) {
    line.give("cudaGraphLaunch", "graph", "kernel", 500);
    line.synchronise();
    line.now += 900;
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  expect_first(one, TrainingCause::host_bound, "the program does something else", "");
  EXPECT_NEAR(saved_per_step(one), 900, 60);
}

}  // namespace
}  // namespace takt
