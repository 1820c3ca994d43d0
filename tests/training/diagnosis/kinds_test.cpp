// Faults by what is peculiar to them: settings, names of calls, loaders without marks, precision, several devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "training/diagnosis/blocking_launches.h"
#include "training/diagnosis/device_line.h"
#include "training/diagnosis/diagnosis.h"
#include "training/diagnosis/tables.h"
#include "training/steps/call_names.h"

namespace takt {
namespace {

std::string shown(const Diagnosis& one) { return diagnosis_text(std::span(&one, 1), {.width = 1000}); }

const TrainingVerdict* first_of(const Diagnosis& one) {
  return one.verdicts.empty() ? nullptr : &one.verdicts[0].verdict;
}

DeviceLine blocking_steps(bool blocks, double kernel) {
  DeviceLine line;
  line.blocks = blocks;
  for (int step = 0; step < 8; ++step) {
    for (int i = 0; i < 40; ++i) {
      line.kernel("aten::linear", "gemm", kernel);
      line.now += 20;
    }
    line.end_step();
  }
  return line;
}

// Kernels of 50 µs: one after the other with 32 µs of the program between them; without, the device sets the pace.
TEST(BlockingLaunches, are_a_synchronisation_with_its_own_price) {
  const Diagnosis one = diagnose("made", blocking_steps(true, 50).trace);
  const TrainingVerdict* verdict = first_of(one);
  ASSERT_NE(verdict, nullptr);
  EXPECT_EQ(verdict->cause, TrainingCause::host_synchronisation);
  EXPECT_THAT(verdict->evidence, testing::HasSubstr("CUDA_LAUNCH_BLOCKING=1"));
  const double length = static_cast<double>(one.breakdown.total) / 8e6;
  EXPECT_NEAR(length - static_cast<double>(verdict->total()) / 8e6, 40 * 0.050, 0.05 * length);
  EXPECT_EQ(one.verdicts.size(), 1u) << "launches that wait do not tell whether they are too many";
}

TEST(BlockingLaunches, are_not_seen_where_kernels_outlast_their_calls_or_are_as_short) {
  EXPECT_TRUE(blocking_launches(activity_of(blocking_steps(false, 50).trace)).empty());
  EXPECT_TRUE(blocking_launches(activity_of(blocking_steps(true, 4).trace)).empty());
  EXPECT_FALSE(blocking_launches(activity_of(blocking_steps(true, 50).trace)).empty());
}

TEST(CallNames, of_mapped_memory_are_allocations) {
  for (const char* name : {"cuMemMap", "cuMemUnmap", "cuMemSetAccess", "cuMemAddressReserve", "hipMemMap",
                           "aclrtMapMem", "cudaHostRegister"})
    EXPECT_EQ(role_of_call(name), Role::allocation) << name;
  EXPECT_EQ(role_of_call("cudaMemsetAsync"), Role::launch);
  for (const char* name : {"cudaMemcpyAsync", "hipMemsetAsync", "urEnqueueUSMMemcpy", "memcpyAsync"})
    EXPECT_TRUE(gives_a_copy(name)) << name;
  for (const char* name : {"cudaLaunchKernel", "runFunction", "urEnqueueKernelLaunch", "hipGraphLaunch"})
    EXPECT_FALSE(gives_a_copy(name)) << name;
}

TEST(CallNames, of_frames_that_get_batches) {
  for (const char* name : {"my_project/loader.py(55): __next__", "torch/utils/data/dataloader.py(701): __next__",
                           "datasets/iterable_dataset.py(2093): __iter__", "accelerate/data_loader.py(550): __iter__"})
    EXPECT_TRUE(is_loader_frame(name)) << name;
  for (const char* name :
       {"torch/nn/modules/container.py(303): __iter__", "train.py(9): next_step", "tqdm/std.py(1): __iter__"})
    EXPECT_FALSE(is_loader_frame(name)) << name;
}

/// Whether 20 ms per step in a frame are the loop's wait, where the frame is of the thread that trains or of another.
bool is_starved_by_frame(bool is_of_loop) {
  DeviceLine line;
  const RowId other = line.trace.add_row(line.trace.rows()[0].process, "prefetcher", 11);
  for (int step = 0; step < 8; ++step) {
    line.add(is_of_loop ? line.loop : other, "my/loader.py(5): __next__", "python_function", line.now, 20'000);
    line.now += 20'000;
    for (int i = 0; i < 20; ++i) line.kernel("aten::linear", "gemm", 100);
    line.synchronise();
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  return !one.verdicts.empty() && one.verdicts[0].verdict.cause == TrainingCause::data_starvation;
}

TEST(Kinds, iterators_of_the_loop_wait_for_batches_and_those_of_other_threads_fetch_them) {
  EXPECT_TRUE(is_starved_by_frame(true));
  EXPECT_FALSE(is_starved_by_frame(false));
}

TEST(Kinds, a_launch_bound_program_is_told_so_whatever_its_runtime_calls_launches) {
  DeviceLine line;
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < 300; ++i) {
      line.add(line.loop, "TorchDynamo Cache Lookup", "cpu_op", line.now, 30);
      line.now += 31;
      line.give("runFunction", "add", "kernel", 3);
    }
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  const TrainingVerdict* verdict = first_of(one);
  ASSERT_NE(verdict, nullptr);
  EXPECT_EQ(verdict->cause, TrainingCause::tiny_kernels);
  EXPECT_THAT(verdict->evidence, testing::HasSubstr("of it in TorchDynamo Cache Lookup"));
  EXPECT_THAT(verdict->fix, testing::HasSubstr("graph_breaks"));
}

/// Steps of an adversarial network: a batch, two networks, two optimizers; without marks.
TEST(Kinds, steps_with_two_optimizers_are_those_of_the_batches) {
  DeviceLine line;
  for (int step = 0; step < 8; ++step) {
    line.call("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "user_annotation", 50);
    for (const int layers : {8, 16}) {
      for (int i = 0; i < layers; ++i) line.kernel("aten::linear", "gemm", 100);
      line.call("Optimizer.step#Adam.step", "user_annotation", 20);
    }
  }
  const Diagnosis one = diagnose("made", line.trace);
  EXPECT_EQ(one.steps.list.size(), 8u);
  EXPECT_EQ(one.steps.source, StepSource::loader);
}

Diagnosis with_products(const std::string& kernel, const std::string& devices) {
  DeviceLine line;
  line.trace.set_property("deviceProperties", devices);
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < 20; ++i) line.kernel("aten::mm", kernel, 500);
    line.end_step();
  }
  return diagnose("made", line.trace);
}

TEST(Kinds, products_without_matrix_units_are_told_where_the_device_has_them) {
  const char* const ampere = R"([{"id":0,"computeMajor":8}])";
  EXPECT_THAT(shown(with_products("ampere_sgemm_128x128_nn", ampere)),
              testing::HasSubstr("Precision: 100 % of the time of kernels is products in float32 that leave"));
  EXPECT_THAT(shown(with_products("ampere_bf16_s16816gemm_bf16_128x128", ampere)),
              testing::Not(testing::HasSubstr("Precision")));
  EXPECT_THAT(shown(with_products("maxwell_sgemm_128x128_nn", R"([{"id":0,"computeMajor":6}])")),
              testing::Not(testing::HasSubstr("Precision")));
}

/// Four steps of 8 ms of kernels, and 3 ms of communication on each of so many devices of the process.
std::string advice_for_communication(int devices, const std::string& collective) {
  DeviceLine line;
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < 20; ++i) line.kernel("aten::linear", "gemm", 400);
    for (int device = 0; device < devices; ++device)
      line.add(line.stream, "ncclDevKernel_SendRecv()", "kernel", line.busy_until, 3000,
               {{"device", std::int64_t{device}}, {"Collective name", collective}});
    line.now = line.busy_until += 3000;
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  const TrainingVerdict* verdict = first_of(one);
  if (verdict == nullptr || verdict->cause != TrainingCause::exposed_communication) return "";
  return verdict->evidence + " " + verdict->fix;
}

TEST(Kinds, communication_says_whom_it_is_with) {
  EXPECT_THAT(advice_for_communication(1, "allreduce"), testing::HasSubstr("Overlap communication"));
  EXPECT_THAT(advice_for_communication(4, "broadcast"), testing::HasSubstr("DistributedDataParallel"));
  EXPECT_THAT(advice_for_communication(1, "recv"), testing::HasSubstr("micro batches"));
  EXPECT_THAT(advice_for_communication(1, "all_to_allv"), testing::HasSubstr("Overlap communication"));
}

TEST(Kinds, waits_of_every_nth_batch_are_those_of_workers) {
  DeviceLine line;
  for (int step = 0; step < 18; ++step) {
    line.call("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "user_annotation",
              step % 6 == 4 ? 60'000 : 50);
    for (int i = 0; i < 20; ++i) line.kernel("aten::linear", "gemm", 400);
    line.synchronise();
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  const TrainingVerdict* verdict = first_of(one);
  ASSERT_NE(verdict, nullptr);
  EXPECT_EQ(verdict->cause, TrainingCause::data_starvation);
  EXPECT_THAT(verdict->evidence, testing::HasSubstr("every 6 steps it waits long"));
  EXPECT_THAT(verdict->fix, testing::HasSubstr("persistent_workers=True"));
}

// 12 ms of the program's own at the begin of each step, which in the first one nothing comes before.
TEST(Kinds, the_first_step_of_a_trace_does_what_the_others_do) {
  DeviceLine line;
  for (int step = 0; step < 6; ++step) {
    line.now += 12'000;
    for (int i = 0; i < 20; ++i) line.kernel(i == 0 ? "aten::embedding" : "aten::linear", "gemm", 100);
    line.synchronise();
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  const TrainingVerdict* verdict = first_of(one);
  ASSERT_NE(verdict, nullptr);
  EXPECT_EQ(verdict->cause, TrainingCause::host_bound);
  EXPECT_NEAR(static_cast<double>(verdict->total()) / 6e6, 12, 0.2);
  EXPECT_LT(one.unexplained, 0.02);
}

// The program is done long before the device; two of ten steps have 16 kernels more.
TEST(Kinds, validation_of_every_nth_step_is_seen_where_the_program_runs_ahead) {
  DeviceLine line;
  for (int step = 0; step < 10; ++step) {
    for (int i = 0; i < (step % 4 == 3 ? 36 : 20); ++i) line.kernel("aten::linear", "gemm", 300);
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  const TrainingVerdict* verdict = first_of(one);
  ASSERT_NE(verdict, nullptr);
  EXPECT_EQ(verdict->cause, TrainingCause::periodic_stall);
  EXPECT_NEAR(static_cast<double>(verdict->total()) / 1e6, 2 * 16 * 0.3, 0.1);
}

/// Steps of 100 kernels of 10 µs, each launched in 50 µs by an operator around another one, which takes all of it but
/// `beside` µs; with records that are known to take as long.
std::string evidence_of_launches(double beside) {
  DeviceLine line;
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < 100; ++i) {
      line.add(line.loop, "aten::linear", "cpu_op", line.now, 50);
      line.add(line.loop, "aten::addmm", "cpu_op", line.now + beside / 2, 50 - beside);
      line.now += 30;
      line.give("cudaLaunchKernel", "gemm", "kernel", 10);
      line.now += 16;
    }
    line.synchronise();
    line.end_step();
  }
  const Diagnosis one = diagnose("made", line.trace);
  const TrainingVerdict* verdict = first_of(one);
  return verdict == nullptr ? "" : verdict->evidence;
}

TEST(Kinds, launches_are_said_to_be_shorter_where_no_one_records_their_operators) {
  EXPECT_THAT(
      evidence_of_launches(4),
      testing::HasSubstr("recording operators takes up to 793 µs per step of it: without the profiler 4.18 to 4.95x"));
  EXPECT_THAT(evidence_of_launches(0.2), testing::Not(testing::HasSubstr("recording")));
}

TEST(Kinds, functions_that_xla_runs_in_the_calling_thread_are_no_blocking_launches) {
  DeviceLine line;
  line.blocks = true;
  for (int i = 0; i < 20; ++i) line.kernel("aten::linear", "gemm", 300);
  Activity activity = activity_of(line.trace);
  EXPECT_FALSE(blocking_launches(activity).empty());
  activity.is_on_host = true;
  EXPECT_TRUE(blocking_launches(activity).empty());
}

}  // namespace
}  // namespace takt
