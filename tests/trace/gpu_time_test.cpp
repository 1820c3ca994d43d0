#include "trace/gpu_time.h"

#include <gtest/gtest.h>

#include "trace/chrome_reader.h"

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

TEST(GpuTime, of_a_trace_without_devices_is_nothing) {
  EXPECT_TRUE(
      gpu_times(parse_chrome_trace(R"([{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"cat":"cpu_op"}])").trace).empty());
}

}  // namespace
}  // namespace takt
