// What holds memory at its peak.
#include "training/figures/memory_peak.h"

#include <gtest/gtest.h>

#include "training/figures/made_work.h"

namespace takt {
namespace {

std::vector<MemoryPeak> peaks_of(const Trace& trace) {
  const Activity activity = activity_of(trace);
  return memory_peaks(trace, activity, find_steps(activity));
}

/// 500 bytes before the trace; conv2d takes 300 and 40, relu 100 and gives it back, the backward pass takes 200 and
/// gives back the 300.
MadeWork one_step() {
  MadeWork made;
  made.add(made.loop, "ProfilerStep#7", "user_annotation", 10, 90);
  made.add(made.loop, "aten::conv2d", "cpu_op", 20, 10);
  made.add(made.loop, "aten::empty", "cpu_op", 21, 2);
  made.memory(made.loop, 22, 0xA0, 300, 800);
  made.memory(made.loop, 23, 0xB0, 40, 840);
  made.add(made.loop, "aten::relu", "cpu_op", 30, 10);
  made.memory(made.loop, 31, 0xC0, 100, 940);
  made.memory(made.loop, 39, 0xC0, -100, 840);
  made.add(made.autograd, "autograd::engine::evaluate_function: ConvBackward0", "cpu_op", 50, 10);
  made.memory(made.autograd, 51, 0xC0, 200, 1040);
  made.memory(made.autograd, 58, 0xA0, -300, 740);
  return made;
}

TEST(MemoryPeak, adds_up_from_what_was_taken_and_what_was_before) {
  const auto peaks = peaks_of(one_step().trace);
  ASSERT_EQ(peaks.size(), 1u);
  EXPECT_EQ(peaks[0].device, "device 0");
  EXPECT_EQ(peaks[0].bytes, 1040);
  EXPECT_FALSE(peaks[0].is_above_start);
  EXPECT_EQ(peaks[0].time, 41'000) << "51 us, and the first event is at 10";
  EXPECT_EQ(peaks[0].step, 7);
  EXPECT_EQ(peaks[0].grown, 240);
  ASSERT_EQ(peaks[0].held.size(), 3u);
  EXPECT_EQ(peaks[0].held[0].bytes, 500) << "before";
  EXPECT_FALSE(peaks[0].held[0].phase.has_value());
  EXPECT_EQ(peaks[0].held[0].blocks, 0);
  EXPECT_EQ(peaks[0].held[1].bytes, 340);
  EXPECT_EQ(peaks[0].held[1].blocks, 2);
  EXPECT_EQ(peaks[0].held[1].phase, Phase::forward);
  EXPECT_EQ(peaks[0].held[2].bytes, 200);
  EXPECT_EQ(peaks[0].held[2].phase, Phase::backward);
}

TEST(MemoryPeak, names_the_operator_that_the_program_called) {
  const MadeWork made = one_step();
  const auto peaks = peaks_of(made.trace);
  EXPECT_EQ(made.trace.text(peaks[0].held[1].name.value()), "aten::conv2d") << "not the aten::empty inside";
}

TEST(MemoryPeak, of_several_devices_and_the_host_are_apart) {
  MadeWork made = one_step();
  made.memory(made.loop, 25, 0xA0, 70, 70, 0, -1);
  made.memory(made.loop, 26, 0xA0, 900, 900, 1, 3);
  const auto peaks = peaks_of(made.trace);
  ASSERT_EQ(peaks.size(), 3u);
  EXPECT_EQ(peaks[0].device, "host");
  EXPECT_EQ(peaks[0].bytes, 70);
  EXPECT_EQ(peaks[1].bytes, 1040);
  EXPECT_EQ(peaks[2].device, "device 3");
  EXPECT_EQ(peaks[2].bytes, 900);
}

TEST(MemoryPeak, without_totals_is_above_the_start_and_without_addresses_of_nobody) {
  MadeWork made;
  for (const auto& [at, bytes] : {std::pair{5, 100}, {6, -300}, {7, 250}})
    made.trace.set_args(made.add(made.loop, "[memory]", "cpu_instant_event", at, 0),
                        TraceValues{{"Bytes", std::int64_t{bytes}}, {"Device Type", std::int64_t{0}}});
  const auto peaks = peaks_of(made.trace);
  ASSERT_EQ(peaks.size(), 1u);
  EXPECT_TRUE(peaks[0].is_above_start);
  EXPECT_EQ(peaks[0].bytes, 100);
  EXPECT_EQ(peaks[0].grown, 50);
  ASSERT_EQ(peaks[0].held.size(), 1u);
  EXPECT_FALSE(peaks[0].held[0].phase.has_value());
  EXPECT_FALSE(peaks[0].step.has_value());
}

TEST(MemoryPeak, of_a_trace_without_memory_events_is_none) { EXPECT_TRUE(peaks_of(MadeWork().trace).empty()); }

}  // namespace
}  // namespace takt
