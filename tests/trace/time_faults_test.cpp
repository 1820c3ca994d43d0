// Times that cannot be right, in traces made for it: which events are named, and which side of each border is sound.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "trace/chrome/reader.h"
#include "trace/events/device_categories.h"
#include "trace/events/near_times.h"
#include "trace/perfetto/reader.h"
#include "trace/write/perfetto_writer.h"

namespace takt {
namespace {

constexpr std::int64_t second = 1'000'000'000, millisecond = 1'000'000;

/// 100 events, one a millisecond, from `first` on, and some more.
std::vector<TraceEvent> with_others(std::int64_t first, const std::vector<std::int64_t>& others) {
  std::vector<TraceEvent> events;
  for (int i = 0; i < 100; ++i) events.push_back({.start_ns = first + i * millisecond});
  for (const std::int64_t other : others) events.insert(events.begin() + 50, {.start_ns = other});
  return events;
}

/// Of the others, those that lie off; all of the hundred are near.
std::vector<std::int64_t> off(std::int64_t first, const std::vector<std::int64_t>& others) {
  const auto events = with_others(first, others);
  const NearTimes near = near_starts(events);
  EXPECT_TRUE(near.has(first) && near.has(first + 99 * millisecond));
  std::vector<std::int64_t> far;
  for (const std::int64_t other : others)
    if (!near.has(other)) far.push_back(other);
  return far;
}
using Times = std::vector<std::int64_t>;

// The hundred last for 99 ms, so that what is 99 s away is just near.
TEST(NearTimes, end_a_thousand_lengths_away) {
  const std::int64_t first = 1000 * second, last = first + 99 * millisecond;
  EXPECT_EQ(off(first, {last + 99 * second}), Times{});
  EXPECT_EQ(off(first, {last + 100 * second}), Times{last + 100 * second});
  EXPECT_EQ(off(first, {first - 99 * second}), Times{});
  EXPECT_EQ(off(first, {first - 100 * second}), Times{first - 100 * second});
  EXPECT_EQ(off(first, {first - 3600 * second, last + 3600 * second, -46 * 31'536'000 * second}),
            (Times{first - 3600 * second, last + 3600 * second, -46 * 31'536'000 * second}));
  EXPECT_EQ(off(first, {INT64_MIN / 2, INT64_MAX / 2}), (Times{INT64_MIN / 2, INT64_MAX / 2}));
}

TEST(NearTimes, of_what_is_shorter_than_a_millisecond_end_after_ten_seconds) {
  std::vector<TraceEvent> events;
  for (int i = 0; i < 100; ++i) events.push_back({.start_ns = 1000 * second + i});
  events.push_back({.start_ns = 1010 * second});
  EXPECT_TRUE(near_starts(events).has(1010 * second));
  events.back().start_ns = 1011 * second;
  EXPECT_FALSE(near_starts(events).has(1011 * second));
}

TEST(NearTimes, are_those_of_nine_of_ten_events_else_all) {
  const std::int64_t first = 1000 * second;
  EXPECT_EQ(off(first, Times(11, first - 500 * second)).size(), 11u);
  EXPECT_EQ(off(first, Times(12, first - 500 * second)), Times{});
  std::vector<TraceEvent> few(18, {.start_ns = second});
  few.push_back({.start_ns = 1'000'000 * second});
  EXPECT_TRUE(near_starts(few).has(1'000'000 * second)) << "19 events";
  few.push_back({.start_ns = second});
  EXPECT_FALSE(near_starts(few).has(1'000'000 * second));
  EXPECT_TRUE(near_starts(std::vector<TraceEvent>{}).has(5));
}

TEST(NearTimes, include_0_where_the_trace_begins_there) {
  EXPECT_EQ(off(99 * millisecond, Times(50, 0)), Times{});
  EXPECT_EQ(off(9'900 * millisecond, Times(50, 0)), Times{}) << "a hundred lengths";
  EXPECT_EQ(off(10'000 * millisecond, Times(50, 0)).size(), 50u);
  EXPECT_EQ(off(10'000 * millisecond, Times(5, 0)).size(), 5u);
  EXPECT_EQ(off(10'000 * millisecond, Times(4, 0)), Times{}) << "a few may begin there";
  EXPECT_EQ(off(99'000 * millisecond, Times(4, 0)), Times{});
  EXPECT_EQ(off(100'000 * millisecond, Times(4, 0)).size(), 4u) << "a thousand lengths";
  const std::vector<TraceEvent> zeros(30);
  EXPECT_TRUE(near_starts(zeros).has(0));
}

TEST(NearTimes, of_a_long_trace_are_all_however_they_come) {
  std::vector<TraceEvent> events;
  for (int i = 0; i < 5000; ++i) events.push_back({.start_ns = (i * 7919 % 5000) * second});
  EXPECT_TRUE(near_starts(events).has(4999 * second));
  events.push_back({.start_ns = 20'000'000 * second});
  EXPECT_FALSE(near_starts(events).has(20'000'000 * second));
  EXPECT_TRUE(near_starts(events).has(4999 * second) && near_starts(events).has(0));
}

TEST(NearTimes, of_two_lists_are_those_of_both) {
  std::vector<TimeInterval> some(90), others(9);
  for (int i = 0; i < 90; ++i) some[static_cast<std::size_t>(i)] = {second + i * millisecond, second};
  for (int i = 0; i < 9; ++i) others[static_cast<std::size_t>(i)] = {second + i * millisecond, second};
  others.push_back({500 * second, 501 * second});
  EXPECT_FALSE(near_starts(some, others).has(500 * second));
  EXPECT_TRUE(near_starts(some, others).has(second));
}

std::string slice(const char* category, const char* name, int tid, int start, int length, const std::string& args) {
  return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":{},"ts":{},"dur":{},"args":{{{}}}}},)",
                     category, name, tid, start, length, args);
}
std::string kernel(int tid, int start, int length, const std::string& args = "") {
  return slice("kernel", "gemm", tid, start, length, args);
}

/// "rule count first" of the trace, in both formats.
std::vector<std::string> time_faults_in(const std::string& list) {
  const TraceReadSettings settings{.threads = 1, .find_overlaps = true};
  const TraceRead read = parse_chrome_trace("[" + list + "{}]", "test", settings);
  const auto told = [](const TraceRead& one) {
    std::vector<std::string> texts;
    for (const TraceFault& fault : one.faults)
      texts.push_back(fmt::format("{} {} {}", name_of(fault.rule), fault.count, fault.first));
    return texts;
  };
  EXPECT_EQ(told(parse_perfetto_trace(to_perfetto(read.trace), "test", settings)).size(), read.faults.size()) << list;
  return told(read);
}
using Told = std::vector<std::string>;

/// "rule count" of JSON; a writer of Perfetto's format sets overlapping spans apart.
std::string overlaps_in(const std::string& list) {
  const TraceRead read = parse_chrome_trace("[" + list + "{}]", "test", {.threads = 1, .find_overlaps = true});
  std::string text;
  for (const TraceFault& fault : read.faults) text += fmt::format("{} {} ", name_of(fault.rule), fault.count);
  return text;
}

// As kernels with programmatic launch do; of the program's own rows it is a fault.
TEST(StreamOverlaps, are_a_note_and_those_of_threads_an_error) {
  EXPECT_EQ(overlaps_in(kernel(7, 0, 10) + kernel(7, 8, 10) + kernel(7, 20, 5)), "stream_overlap 1 ");
  EXPECT_EQ(overlaps_in(kernel(7, 0, 10) + slice("cuda_sync", "Stream Synchronize", 7, 8, 10, "")),
            "stream_overlap 1 ");
  EXPECT_EQ(overlaps_in(slice("cpu_op", "aten::mm", 7, 0, 10, "") + slice("cpu_op", "aten::mul", 7, 8, 10, "")),
            "overlap 1 ");
  EXPECT_EQ(grade_of(TraceRule::stream_overlap), FaultGrade::note);
}

TEST(XlaOverlaps, are_as_its_profiler_writes_them_and_a_note) {
  const auto of_process = [](const char* name) {
    return fmt::format(R"({{"ph":"M","name":"process_name","pid":1,"args":{{"name":"{}"}}}},)", name) +
           slice("", "while.2", 7, 0, 10, "") + slice("", "copy-start.1", 7, 8, 10, "");
  };
  EXPECT_EQ(overlaps_in(of_process("/device:TPU:0")), "xla_overlap 1 ");
  EXPECT_EQ(overlaps_in(of_process("/host:CPU")), "xla_overlap 1 ");
  EXPECT_EQ(overlaps_in(of_process("python")), "overlap 1 ");
  EXPECT_EQ(grade_of(TraceRule::xla_overlap), FaultGrade::note);
}

TEST(RepeatedEvents, are_the_same_in_everything) {
  const std::string one = slice("cpu_op", "aten::mm", 7, 0, 5, R"("External id":1)"),
                    other = slice("cpu_op", "aten::mm", 7, 0, 5, R"("External id":2)");
  EXPECT_EQ(overlaps_in(one + one), "repeated_event 1 ");
  EXPECT_EQ(overlaps_in(one + slice("cpu_op", "aten::mul", 7, 0, 5, "") + one + one), "repeated_event 2 ");
  EXPECT_EQ(overlaps_in(one + other), "") << "an operator that calls itself";
  EXPECT_EQ(overlaps_in(one + slice("cpu_op", "aten::mm", 8, 0, 5, R"("External id":1)")), "");
  const auto without_args = [](int length) { return slice("cpu_op", "f", 7, 0, length, ""); };
  EXPECT_EQ(overlaps_in(without_args(9) + without_args(9)), "") << "as far as the clock can tell";
  EXPECT_EQ(overlaps_in(without_args(10) + without_args(10)), "repeated_event 1 ");
  EXPECT_EQ(overlaps_in(slice("cpu_op", "f", 7, 0, 0, R"("a":1)") + slice("cpu_op", "f", 7, 0, 0, R"("a":1)")), "");
}

TEST(StreamOverruns, are_work_that_holds_two_pieces_of_its_own_stream) {
  EXPECT_EQ(time_faults_in(kernel(7, 0, 10) + kernel(7, 1, 2) + kernel(7, 4, 6)),
            Told{"stream_overrun 1 'gemm' on row '7' at 0.000 us"});
  EXPECT_EQ(time_faults_in(kernel(7, 0, 10) + kernel(7, 1, 2) + kernel(7, 4, 2) + kernel(7, 6, 2)),
            Told{"stream_overrun 1 'gemm' on row '7' at 0.000 us"})
      << "once, however many it holds";
  EXPECT_EQ(time_faults_in(kernel(7, 0, 10) + kernel(7, 1, 2)), Told{}) << "one may be let in early";
  EXPECT_EQ(time_faults_in(kernel(7, 0, 10) + kernel(7, 1, 2) + kernel(8, 4, 2)), Told{}) << "another stream";
  EXPECT_EQ(time_faults_in(kernel(7, 0, 4) + kernel(7, 4, 3) + kernel(7, 7, 3)), Told{});
  EXPECT_EQ(time_faults_in(kernel(7, 0, 10) + kernel(7, 0, 2) + kernel(7, 1, 0) + kernel(7, 2, 0)), Told{});
  EXPECT_EQ(time_faults_in(kernel(7, 0, 10, R"("graph node id":5)") + kernel(7, 1, 2) + kernel(7, 4, 2)), Told{})
      << "nodes of a graph run side by side";
  EXPECT_EQ(time_faults_in(slice("cpu_op", "aten::mm", 7, 0, 10, "") + slice("cpu_op", "aten::mul", 7, 1, 2, "") +
                           slice("cpu_op", "aten::mul", 7, 4, 2, "")),
            Told{})
      << "operators call each other";
}

std::string correlation(int number) { return fmt::format(R"("correlation":{})", number); }
std::string launch(int number, int start, const char* name = "cudaLaunchKernel") {
  return slice("cuda_runtime", name, 1, start, 2, correlation(number));
}
std::string launched(int number, int start) { return kernel(7, start, 3, correlation(number)); }

TEST(LaunchFaults, are_work_before_its_launch_by_more_than_a_microsecond) {
  EXPECT_EQ(time_faults_in(launch(1, 10) + launched(1, 9)), Told{});
  EXPECT_EQ(time_faults_in(launch(1, 10) + launched(1, 8)), Told{"work_before_launch 1 'gemm' on row '7' at 8.000 us"});
  EXPECT_EQ(time_faults_in(launch(1, 10) + launched(1, 12) + launched(1, 5)),
            Told{"work_before_launch 1 'gemm' on row '7' at 5.000 us"})
      << "of several kernels of one launch the first";
  EXPECT_EQ(time_faults_in(launch(1, 10) + launch(1, 30) + launched(1, 5)), Told{}) << "two programs use one number";
}

TEST(LaunchFaults, are_launches_without_work_where_they_are_more_than_a_tenth) {
  std::string nine;
  for (int i = 1; i <= 9; ++i) nine += launch(i, 10 * i) + launched(i, 10 * i + 4);
  EXPECT_EQ(time_faults_in(nine + launch(10, 100)), Told{}) << "one of ten: a recorder ends somewhere";
  EXPECT_EQ(time_faults_in(nine + launch(10, 100) + launch(11, 110)),
            Told{"launch_without_work 2 'cudaLaunchKernel' on row '1' at 100.000 us"});
  EXPECT_EQ(time_faults_in(nine + launch(10, 100, "cudaMemsetAsync") + launch(11, 110, "cudaMalloc")), Told{})
      << "copies and fills may be left out, and other calls have no work";
  EXPECT_EQ(time_faults_in(launch(1, 10) + launch(2, 20) + kernel(7, 10, 2)), Told{}) << "no work has a number";
}

TEST(SampledProfiles, are_named_as_what_is_not_read) {
  const std::string event = R"({"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"a"},)";
  const auto chunk = [](int at) {
    return fmt::format(
        R"({{"ph":"P","pid":1,"tid":1,"ts":{},"name":"ProfileChunk","id":"0x1","args":{{"data":{{}}}}}},)", at);
  };
  const auto faults = [](const std::string& text) {
    std::vector<std::string> texts;
    for (const TraceFault& fault : parse_chrome_trace(text, "test", {.threads = 1}).faults)
      texts.push_back(
          fmt::format("{} {} {} {}", name_of(grade_of(fault.rule)), name_of(fault.rule), fault.count, fault.first));
    return texts;
  };
  EXPECT_EQ(faults("[" + event + chunk(2) + chunk(3) + "{}]"),
            Told{fmt::format("note sampled_profile 2 byte {}: 'ProfileChunk'", 1 + event.size())});
  EXPECT_EQ(faults("[" + event + R"({"ph":"I","s":"t","pid":1,"tid":1,"ts":7,"name":"CpuProfile","args":{}}])"),
            Told{fmt::format("note sampled_profile 1 byte {}: 'CpuProfile'", 1 + event.size())});
  const std::string beside = R"("samples":[{"sf":1},{"sf":2},{"sf":1}],"stackFrames":{"1":{"name":"f"}})";
  for (const std::string& text :
       {"{" + beside + ",\"traceEvents\":[" + event + "{}]}", "{\"traceEvents\":[" + event + "{}]," + beside + "}"})
    EXPECT_EQ(faults(text), Told{"note sampled_profile 3 'samples' beside the events"});
}

TEST(DeviceParts, are_told_by_the_category) {
  for (const char* work : {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "memcpy"})
    EXPECT_EQ(device_part(work), DevicePart::work) << work;
  for (const char* mark : {"gpu_user_annotation", "cuda_sync"}) EXPECT_EQ(device_part(mark), DevicePart::mark) << mark;
  for (const char* call : {"cuda_runtime", "cuda_driver", "Runtime", "mtia_runtime", "xpu_driver"})
    EXPECT_EQ(device_part(call), DevicePart::call) << call;
  for (const char* other : {"cpu_op", "", "user_annotation", "ac2g"})
    EXPECT_EQ(device_part(other), DevicePart::none) << other;
}

}  // namespace
}  // namespace takt
