// Traces whose events have no category: those of Ascend's profiler (trace_view.json).
#include "training/steps/vendor_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/basics/error.h"
#include "training/diagnosis/diagnosis.h"
#include "training/steps/roles.h"

namespace takt {
namespace {

/// Steps of 20 kernels of 200 µs, and so many µs of the program's own at their begin.
Trace ascend_trace(double own) {
  Trace trace;
  const RowId loop = trace.add_row(trace.add_process("Python", 10), "main", 10);
  const RowId calls = trace.add_row(trace.add_process("CANN", 11), "Thread 10", 10);
  const RowId stream = trace.add_row(trace.add_process("Ascend Hardware", 12), "Stream 2", 2);
  const RowId drawn = trace.add_row(trace.add_process("Overlap Analysis", 13), "Computing", 0);
  const auto add = [&](RowId row, const std::string& name, const char* category, double start, double length,
                       std::int64_t number = 0) {
    const EventId event = trace.add_event(row, name, category, Nanoseconds(static_cast<std::int64_t>(start * 1000)),
                                          Nanoseconds(static_cast<std::int64_t>(length * 1000)));
    if (number != 0) trace.set_args(event, TraceValues{{"connection_id", number}});
  };
  double now = 100, busy = 0;
  std::int64_t number = 0;
  for (int step = 0; step < 6; ++step) {
    const double begin = now;
    now += own;
    for (int i = 0; i < 20; ++i) {
      add(loop, "aten::linear", "cpu_op", now, 10);
      add(calls, "Node@launch", "", now + 2, 4, ++number);
      const double start = std::max(now + 8, busy);
      add(stream, "MatMulV2", "", start, 200, number);
      add(drawn, "Computing", "", start, 200);
      busy = start + 200;
      now += 12;
    }
    add(stream, "EVENT_WAIT", "", busy, 5'000);
    add(calls, "AscendCL@aclrtSynchronizeStreamWithTimeout", "", now, busy + 3 - now);
    now = busy + 3;
    add(loop, "ProfilerStep#" + std::to_string(step), "cpu_op", begin, now - begin);
  }
  return trace;
}

TEST(VendorRows, of_ascend_have_kernels_calls_and_waits) {
  const Diagnosis one = diagnose("trace_view.json", ascend_trace(6'000));
  ASSERT_EQ(one.steps.list.size(), 6u);
  EXPECT_NEAR(static_cast<double>(one.breakdown.sum(StepPart::kernel)) / 6e6, 4.0, 0.01);
  ASSERT_FALSE(one.verdicts.empty());
  EXPECT_EQ(one.verdicts[0].verdict.cause, TrainingCause::host_bound);
  EXPECT_NEAR(static_cast<double>(one.verdicts[0].verdict.total()) / 6e6, 6, 0.1);
}

TEST(VendorRows, of_a_busy_device_are_computing) {
  const Diagnosis one = diagnose("trace_view.json", ascend_trace(0));
  EXPECT_GT(one.breakdown.share(StepPart::kernel), 0.95);
  for (const PlacedVerdict& placed : one.verdicts) EXPECT_EQ(placed.verdict.cause, TrainingCause::compute_bound);
}

TEST(VendorRows, are_told_by_names_of_processes_where_there_is_such_a_device) {
  Trace other;
  other.add_row(other.add_process("CANN", 1), "main", 1);
  EXPECT_EQ(vendor_rows(other), std::vector<VendorRow>{VendorRow::none}) << "no device of the vendor";
  EXPECT_EQ(role_on(VendorRow::device, "aclnnMatmul_MatMulV2"), Role::kernel);
  EXPECT_EQ(role_on(VendorRow::device, "MEMCPY_ASYNC"), Role::copy);
  EXPECT_EQ(role_on(VendorRow::device, "Notify_Wait"), Role::none);
  EXPECT_EQ(role_on(VendorRow::communication, "hcom_allReduce__430_1"), Role::communication);
  EXPECT_EQ(role_on(VendorRow::communication, "Reduce_Inline"), Role::none);
  EXPECT_EQ(role_on(VendorRow::calls, "AscendCL@aclrtMallocPhysical"), Role::allocation);
  EXPECT_EQ(role_on(VendorRow::summary, "Computing"), Role::none);
}

// Its kernels have PyTorch's category.
TEST(OtherTraces, of_onnxruntime_are_sent_to_where_they_are_explained) {
  Trace trace;
  const RowId loop = trace.add_row(trace.add_process("", 10), "", 10),
              device = trace.add_row(trace.add_process("", 11), "", 1);
  for (int i = 0; i < 12; ++i) {
    trace.add_event(loop, "Conv_0_kernel_time", "Node", Nanoseconds(i * 1000), Nanoseconds(500));
    trace.add_event(device, "conv", "Kernel", Nanoseconds(i * 1000 + 200), Nanoseconds(400));
  }
  try {
    diagnose("ort.json", trace);
    FAIL() << "it is no training";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'takt analyze ort.json'"));
  }
}

}  // namespace
}  // namespace takt
