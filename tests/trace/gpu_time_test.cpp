#include "trace/events/gpu_time.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "trace/chrome/reader.h"
#include "trace/events/rank_names.h"
#include "trace/read/merge.h"

namespace takt {
namespace {

TEST(GpuTime, overlapping_streams_are_counted_once_and_the_parts_add_up) {
  // Device 0: compute [0,10) and [5,15) on two streams, a copy [12,20), nothing until 30, communication [30,40).
  const TraceRead read = parse_chrome_trace(
      R"([{"ph":"X","pid":0,"tid":7,"ts":0,"dur":10,"cat":"kernel","name":"gemm","args":{"device":0}},
          {"ph":"X","pid":0,"tid":8,"ts":5,"dur":10,"cat":"kernel","name":"relu","args":{"device":0}},
          {"ph":"X","pid":0,"tid":9,"ts":12,"dur":8,"cat":"gpu_memcpy","name":"Memcpy HtoD","args":{"device":0}},
          {"ph":"X","pid":0,"tid":9,"ts":30,"dur":10,"cat":"kernel","name":"ncclKernel_AllReduce","args":{"device":0}},
          {"ph":"X","pid":5,"tid":1,"ts":0,"dur":99,"cat":"cpu_op","name":"aten::mm"},
          {"ph":"X","pid":1,"tid":7,"ts":0,"dur":1,"cat":"kernel","name":"gemm","args":{"device":1}}])");
  const auto times = gpu_times(read.trace);
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].device, "0");
  EXPECT_EQ(times[0].events, 4);
  EXPECT_EQ(times[0].total, Nanoseconds(40000));
  EXPECT_EQ(times[0].compute, Nanoseconds(15000));
  EXPECT_EQ(times[0].non_compute, Nanoseconds(15000));
  EXPECT_EQ(times[0].idle, Nanoseconds(10000));
  EXPECT_EQ(times[1].idle, Nanoseconds(0));
}

TEST(GpuTime, the_device_is_told_by_the_argument_of_that_name_and_no_other) {
  const auto times = gpu_times(
      parse_chrome_trace(
          R"([{"ph":"X","pid":0,"tid":7,"ts":0,"dur":10,"cat":"kernel","name":"gemm","args":{"stream":7,"device":1}},
          {"ph":"X","pid":0,"tid":8,"ts":0,"dur":10,"cat":"kernel","name":"gemm","args":{"stream":8,"device":1}}])")
          .trace);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].device, "1");
}

/// Work of a process's device 0: a kernel of 10 us every 20, three times, from `start` on.
std::string device_work(int pid, int start) {
  std::string text;
  for (int i = 0; i < 3; ++i)
    text += fmt::format(
        R"({{"ph":"X","pid":{},"tid":7,"ts":{},"dur":10,"cat":"kernel","name":"gemm","args":{{"device":0}}}},)", pid,
        start + 20 * i);
  return text;
}
std::string process_name(int pid, std::string_view text) {
  return fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"{}"}}}},)", pid, text);
}

/// The devices' names; each of them computes 30 of 50 us.
std::vector<std::string> devices_of(const Trace& trace) {
  std::vector<std::string> names;
  for (const GpuTime& time : gpu_times(trace)) {
    names.push_back(time.device);
    EXPECT_EQ(time.total, Nanoseconds(50000)) << time.device;
    EXPECT_EQ(time.compute, Nanoseconds(30000)) << time.device;
    EXPECT_EQ(time.idle, Nanoseconds(20000)) << time.device;
  }
  return names;
}

Trace trace_with(const std::string& events) { return parse_chrome_trace("[" + events + "{}]").trace; }

TEST(GpuTime, ranks_that_take_turns_have_devices_of_their_own_after_a_merge) {
  // On one device they would be busy all the time.
  std::vector<MergeInput> inputs;
  inputs.push_back({trace_with(process_name(0, "python") + device_work(0, 0)), "rank 0", "a.json", Nanoseconds(0)});
  inputs.push_back({trace_with(process_name(0, "python") + device_work(0, 10)), "rank 1", "b.json", Nanoseconds(0)});
  EXPECT_EQ(devices_of(merge_traces(inputs)), (std::vector<std::string>{"0 (rank 0: python)", "0 (rank 1: python)"}));
}

TEST(GpuTime, devices_are_their_processes_own_whoever_put_the_traces_together) {
  EXPECT_EQ(devices_of(trace_with(process_name(10, "python") + process_name(11, "python") + device_work(10, 0) +
                                  device_work(11, 10))),
            (std::vector<std::string>{"0 (python, process 10)", "0 (python, process 11)"}));
  EXPECT_EQ(devices_of(trace_with(device_work(10, 0) + device_work(11, 10))),
            (std::vector<std::string>{"0 (process 10)", "0 (process 11)"}));
  EXPECT_EQ(devices_of(trace_with(process_name(10, "[Rank 3] GPU") + process_name(11, "rank4_gpu") +
                                  device_work(10, 0) + device_work(11, 10))),
            (std::vector<std::string>{"0 ([Rank 3] GPU)", "0 (rank4_gpu)"}));
}

TEST(GpuTime, devices_of_one_process_need_no_name_of_it) {
  const Trace trace = trace_with(
      R"({"ph":"X","pid":3,"tid":7,"ts":0,"dur":10,"cat":"kernel","name":"gemm","args":{"device":0}},
         {"ph":"X","pid":4,"tid":7,"ts":0,"dur":10,"cat":"kernel","name":"gemm","args":{"device":1}},)");
  const auto times = gpu_times(trace);
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].device, "0");
  EXPECT_EQ(times[1].device, "1");
}

TEST(RankNames, are_found_as_programs_write_them) {
  for (const char* text :
       {"rank 3", "node7 rank 3: python", "Rank 3", "[rank3]", "rank_3 GPU 0", "RANK-3", "rank=3", "job/rank:3/worker"})
    EXPECT_EQ(rank_in_name(text), 3) << text;
  for (const char* text : {"crank 3", "rank", "ranks 3", "rank 3rd", "rank three", "prank3", ""})
    EXPECT_EQ(rank_in_name(text), std::nullopt) << text;
}

TEST(GpuTime, of_a_trace_without_devices_is_nothing) {
  EXPECT_TRUE(
      gpu_times(parse_chrome_trace(R"([{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"cat":"cpu_op"}])").trace).empty());
}

}  // namespace
}  // namespace takt
