// What rules are told of a trace: arguments of events, who is inside whom, which rows train; and figures of several
// streams.
#include "training/steps/activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/diagnosis/diagnosis.h"
#include "training/diagnosis/idle_causes.h"
#include "training/figures/device_figures.h"

namespace takt {
namespace {

using testing::ElementsAre;

/// A program with a thread and a device with two streams; times in nanoseconds.
class SmallTrace {
 public:
  SmallTrace()
      : host(trace.add_row(trace.add_process("python", 1), "main", 1)),
        other(trace.add_row(ProcessId{0}, "worker", 2)),
        stream(trace.add_row(trace.add_process("GPU"), "stream 7")),
        second(trace.add_row(ProcessId{1}, "stream 9")) {}

  EventId add(RowId row, const char* name, const char* category, std::int64_t start, std::int64_t length,
              const TraceValues& values = {}) {
    const EventId event = trace.add_event(row, name, category, Nanoseconds(start), Nanoseconds(length));
    if (!values.empty()) trace.set_args(event, values);
    return event;
  }
  /// A call from `asked` on for 10, and its work.
  void kernel(RowId row, const char* name, std::int64_t asked, std::int64_t start, std::int64_t length,
              std::int64_t number, const char* call = "cudaLaunchKernel") {
    add(host, call, "cuda_runtime", asked, 10, {{"correlation", number}});
    add(row, name, "kernel", start, length, {{"correlation", number}});
  }

  Trace trace;
  RowId host, other, stream, second;
};

TEST(Activity, of_kernels_has_how_much_of_the_device_they_fill_from_0_to_1) {
  const auto occupancy = [](const TraceValues& values) {
    SmallTrace small;
    small.add(small.stream, "gemm", "kernel", 0, 10, values);
    return activity_of(small.trace).device.at(0).occupancy;
  };
  EXPECT_FLOAT_EQ(occupancy({{"blocks per SM", 0.25}}).value_or(-1), 0.25);
  EXPECT_FLOAT_EQ(occupancy({{"blocks per SM", 4.5}}).value_or(-1), 1);
  EXPECT_FLOAT_EQ(occupancy({{"blocks per SM", std::int64_t{1}}}).value_or(-1), 1);
  EXPECT_FLOAT_EQ(occupancy({{"est. achieved occupancy %", std::int64_t{37}}}).value_or(-1), 0.37F);
  EXPECT_FLOAT_EQ(occupancy({{"est. achieved occupancy %", 100.0}}).value_or(-1), 1);
  EXPECT_FLOAT_EQ(occupancy({{"est. achieved occupancy %", std::int64_t{37}}, {"blocks per SM", 0.5}}).value_or(-1),
                  0.5)
      << "what was launched says more than an estimate";
  EXPECT_FALSE(occupancy({{"warps per SM", 3.0}}));
}

TEST(Activity, of_memory_has_how_much_where_and_what_is_held_then) {
  SmallTrace small;
  small.add(small.host, "[memory]", "cpu_instant_event", 20, 0,
            {{"Bytes", std::int64_t{-64}}, {"Total Allocated", std::int64_t{100}}, {"Device Type", std::int64_t{1}}});
  small.add(small.host, "[memory]", "cpu_instant_event", 10, 0, {{"Bytes", std::int64_t{128}}});
  const auto memory = activity_of(small.trace).memory;
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_EQ(memory[0].time, 10);
  EXPECT_EQ(memory[0].bytes, 128);
  EXPECT_FALSE(memory[0].total || memory[0].device);
  EXPECT_EQ(memory[1].bytes, -64);
  EXPECT_EQ(memory[1].total, 100);
  EXPECT_EQ(memory[1].device, 1);
}

// outer 0–100 has inner 10–30 (with leaf 10–20) and next 30–60; then apart from 100 on.
TEST(Activity, of_operators_has_who_is_inside_whom) {
  SmallTrace small;
  for (const auto& [name, start, length] :
       {std::tuple("outer", 0, 100), {"inner", 10, 20}, {"leaf", 10, 10}, {"next", 30, 30}, {"apart", 100, 5}})
    small.add(small.host, name, "cpu_op", start, length);
  small.add(small.other, "beside", "cpu_op", 10, 50);
  std::vector<std::string> lines;
  for (const HostSpan& span : activity_of(small.trace).host)
    lines.push_back(small.trace.text(span.name) + (span.is_top ? " top " : " ") + std::to_string(span.self_ns));
  EXPECT_THAT(lines, testing::UnorderedElementsAre("outer top 50", "inner 10", "leaf 10", "next 30", "apart top 5",
                                                   "beside top 50"));
}

TEST(Activity, rows_train_that_launch_step_wait_or_go_back) {
  const auto trains = [](const char* name, const char* category) {
    SmallTrace small;
    small.add(small.host, "aten::mm", "cpu_op", 0, 1);
    small.add(small.host, "aten::mm", "cpu_op", 2, 1);
    small.add(small.other, name, category, 0, 10);
    const std::vector<bool> all = activity_of(small.trace).trains;
    return std::pair(all.at(0), all.at(1));
  };
  using Both = std::pair<bool, bool>;
  EXPECT_EQ(trains("cudaLaunchKernel", "cuda_runtime"), Both(false, true));
  EXPECT_EQ(trains("ProfilerStep#1", "user_annotation"), Both(false, true));
  EXPECT_EQ(trains("enumerate(DataLoader)#x", "user_annotation"), Both(false, true));
  EXPECT_EQ(trains("Optimizer.step#SGD.step", "user_annotation"), Both(false, true));
  EXPECT_EQ(trains("MulBackward0", "cpu_op"), Both(false, true));
  EXPECT_EQ(trains("cudaStreamSynchronize", "cuda_runtime"), Both(true, false)) << "most operators";
  EXPECT_EQ(trains("aten::add", "cpu_op"), Both(true, false));
}

TEST(Activity, a_device_is_expected_where_one_works_is_called_or_is_named) {
  const auto expects = [](const char* name, const char* category) {
    SmallTrace small;
    small.add(small.host, name, category, 0, 1);
    return activity_of(small.trace).expects_device;
  };
  EXPECT_FALSE(expects("aten::mm", "cpu_op"));
  EXPECT_TRUE(expects("cudaGetDevice", "cuda_runtime"));
  EXPECT_TRUE(expects("gemm", "kernel"));
}

// Stream 7 works at 100–200 and 229–300 and 330–400; the launches were long before. Stream 9 waits for the host.
TEST(DeviceFigures, of_several_streams_are_apart) {
  SmallTrace small;
  small.kernel(small.stream, "a", 0, 100, 100, 1);
  small.kernel(small.stream, "b", 20, 30'199, 100, 2);  // 29,999 later
  small.kernel(small.stream, "c", 40, 60'299, 5, 3);    // 30,000 later
  small.kernel(small.second, "a", 60, 80, 20, 4, "cuLaunchKernel");
  small.kernel(small.second, "a", 101, 130, 7, 5, "cuLaunchKernel");  // asked for when nothing was left
  small.kernel(small.second, "a", 130, 150, 9, 6, "cuLaunchKernel");  // asked for while it worked
  const Activity activity = activity_of(small.trace);
  const auto idle = stream_idle(activity);
  ASSERT_EQ(idle.size(), 2u);
  EXPECT_EQ(idle[0].kernel_wait.count(), 29'999);
  EXPECT_EQ(idle[0].other.count(), 30'000);
  EXPECT_EQ(idle[0].host_wait.count(), 0);
  EXPECT_EQ(idle[1].host_wait.count(), 30);
  EXPECT_EQ(idle[1].kernel_wait.count(), 13);
  const auto totals = kernel_totals(activity);
  ASSERT_EQ(totals.size(), 3u);
  EXPECT_EQ(small.trace.text(totals[0].name), "a");
  EXPECT_EQ(totals[0].count, 4);
  EXPECT_EQ(totals[0].total.count(), 136);
  EXPECT_EQ(totals[0].longest.count(), 100);
  const auto launches = launch_totals(activity);
  ASSERT_EQ(launches.size(), 2u);
  for (const LaunchTotal& one : launches) {
    const bool is_driver = small.trace.text(one.call) == "cuLaunchKernel";
    EXPECT_EQ(one.count, 3);
    EXPECT_EQ(one.calls.count(), 30);
    EXPECT_EQ(one.work.count(), is_driver ? 36 : 205);
    EXPECT_EQ(one.delay.count(), is_driver ? 10 + 19 + 10 : 90 + 30'169 + 60'249);
    EXPECT_EQ(one.short_kernels, is_driver ? 2 : 1) << "shorter than the call that asked for them";
  }
  const auto queues = stream_queues(activity);
  ASSERT_EQ(queues.size(), 2u);
  EXPECT_EQ(queues[0].longest, 3);
  EXPECT_EQ(queues[1].longest, 2) << "what begins when the next is asked for still waits then";
}

TEST(DeviceFigures, communication_counts_once_over_all_streams) {
  SmallTrace small;
  small.add(small.stream, "ncclKernel_AllReduce", "kernel", 0, 100);
  small.add(small.second, "ncclKernel_AllGather", "kernel", 50, 100);
  small.add(small.second, "gemm", "kernel", 140, 100);
  const auto overlap = communication_overlap(activity_of(small.trace));
  EXPECT_EQ(overlap->communication.count(), 150);
  EXPECT_EQ(overlap->hidden.count(), 10);
}

// A step of 10 ms on a device that works at 0–1, 2–3, 5–6 and 9–10 ms. The program waits for the device until 1.5,
// takes memory at 3.2 and 3.3, and for its batch from 6 to 7.
TEST(IdleCauses, are_taken_in_their_order_and_add_up) {
  SmallTrace small;
  constexpr std::int64_t ms = 1'000'000;
  small.add(small.host, "ProfilerStep#0", "user_annotation", 0, 10 * ms);
  small.add(small.host, "cudaStreamSynchronize", "cuda_runtime", 0, 3 * ms / 2);
  small.add(small.host, "enumerate(DataLoader)#x", "user_annotation", 6 * ms, ms);
  for (const std::int64_t start : {0, 2, 5, 9}) small.add(small.stream, "gemm", "kernel", start * ms, ms);
  const Activity activity = activity_of(small.trace);
  Steps steps;
  steps.list.resize(1);
  steps.list[0].span = {0, 10 * ms};
  const IdleCauses causes = idle_causes(activity, steps);
  EXPECT_EQ(total(causes.all()).count(), 6 * ms);
  EXPECT_EQ(total(causes.data_wait).count(), ms);
  EXPECT_EQ(total(causes.synchronisation).count(), ms / 2) << "from its return until the device works";
  EXPECT_EQ(total(causes.launch).count(), 0);
  EXPECT_EQ(total(causes.other).count(), 6 * ms - ms - ms / 2);
  small.add(small.host, "cudaMalloc", "cuda_runtime", 3 * ms + 200'000, 100'000);
  const IdleCauses with = idle_causes(activity_of(small.trace), steps);
  EXPECT_EQ(total(with.allocation).count(), 100'000) << "the gap is longer than any launch, so the call alone";
  EXPECT_EQ(total(with.all()).count(), 6 * ms);
  EXPECT_TRUE(idle_causes(activity_of(Trace()), steps).all().empty());
}

/// Whether a gap of 30 ns before work that no call is known of is one of launches: an operator runs in `worked` of it.
bool is_launch_gap(std::int64_t worked) {
  SmallTrace small;
  small.add(small.host, "ProfilerStep#0", "user_annotation", 0, 100);
  small.add(small.stream, "gemm", "kernel", 0, 50);
  small.add(small.stream, "gemm", "kernel", 80, 20);
  small.add(small.host, "aten::mm", "cpu_op", 40, 10);  // beside the first one
  small.add(small.host, "aten::mm", "cpu_op", 60, worked);
  Steps steps;
  steps.list.push_back({0, {0, 100}, {0, 100}});
  const IdleCauses causes = idle_causes(activity_of(small.trace), steps);
  EXPECT_EQ(total(causes.all()).count(), 30);
  return total(causes.launch).count() == 30;
}

TEST(IdleCauses, of_work_without_a_known_call_ask_for_a_third_at_work) {
  EXPECT_TRUE(is_launch_gap(10));
  EXPECT_FALSE(is_launch_gap(9));
}

/// Ten ns of each part alone: everything begins in the middle of what comes before it.
std::vector<std::int64_t> parts_of_step(bool has_device) {
  SmallTrace small;
  if (has_device) {
    small.add(small.stream, "gemm", "kernel", 0, 10);
    small.add(small.stream, "Memcpy HtoD", "gpu_memcpy", 5, 15);
    small.add(small.second, "ncclDevKernel_AllReduce", "kernel", 15, 15);
  }
  small.add(small.host, "cudaLaunchKernel", "cuda_runtime", 25, 15);
  small.add(small.host, "cudaStreamSynchronize", "cuda_runtime", 35, 15);
  small.add(small.host, "enumerate(DataLoader)#x", "user_annotation", 45, 15);
  small.add(small.host, "aten::mm", "cpu_op", 55, 15);
  small.add(small.host, "gloo:all_reduce", "user_annotation", 65, 15);
  Steps steps;
  steps.list.push_back({0, {0, 100}, {0, 100}});
  const Breakdown breakdown = break_down(activity_of(small.trace), steps);
  EXPECT_EQ(breakdown.total, 100);
  EXPECT_EQ(breakdown.applies[static_cast<std::size_t>(StepPart::kernel)], has_device);
  return {breakdown.by_step[0].begin(), breakdown.by_step[0].end()};
}

TEST(Breakdown, has_each_instant_in_the_first_part_that_applies) {
  EXPECT_THAT(parts_of_step(true), ElementsAre(10, 10, 10, 10, 10, 10, 10, 30));
  EXPECT_THAT(parts_of_step(false), ElementsAre(0, 0, 10, 0, 15, 10, 10, 55))
      << "collectives come last, launches are none";
}

/// What a step says whose kernels run for `busy` of 1000 ns and fill this part of the device.
bool has_small_batch(std::int64_t busy, double fill) {
  SmallTrace small;
  for (int step = 0; step < 6; ++step) {
    const std::string name = "ProfilerStep#" + std::to_string(step);
    small.add(small.host, name.c_str(), "user_annotation", step * 1000, 1000);
    small.add(small.host, "cudaLaunchKernel", "cuda_runtime", step * 1000, 1,
              {{"correlation", std::int64_t{step} + 1}});
    small.add(small.stream, "gemm", "kernel", step * 1000 + 1, busy,
              {{"correlation", std::int64_t{step} + 1}, {"blocks per SM", fill}});
  }
  for (const PlacedVerdict& placed : diagnose("made", small.trace).verdicts)
    if (placed.verdict.cause == TrainingCause::small_batch) return true;
  return false;
}

TEST(SmallBatch, begins_where_half_of_the_device_stands_still_for_two_fifths_of_the_time) {
  EXPECT_TRUE(has_small_batch(900, 0.25));
  EXPECT_TRUE(has_small_batch(400, 0.25)) << "two fifths of the time";
  EXPECT_FALSE(has_small_batch(399, 0.25));
  EXPECT_FALSE(has_small_batch(900, 0.5)) << "half full";
  EXPECT_TRUE(has_small_batch(900, 0.4375));
}

}  // namespace
}  // namespace takt
