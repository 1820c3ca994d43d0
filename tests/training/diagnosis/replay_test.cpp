// Steps once more without something: what the work of one stream waits for on another one.
#include "training/diagnosis/replay.h"

#include <gtest/gtest.h>

namespace takt {
namespace {

/// Launches and works on the device's streams; times in nanoseconds.
class Device {
 public:
  void work(int stream, std::int64_t asked, std::int64_t start, std::int64_t length, const char* name = "gemm") {
    const TraceValues number{{"correlation", ++number_}};
    trace_.set_args(trace_.add_event(host_, "cudaLaunchKernel", "cuda_runtime", Nanoseconds(asked), Nanoseconds(10)),
                    number);
    trace_.set_args(trace_.add_event(streams_[stream], name, "kernel", Nanoseconds(start), Nanoseconds(length)),
                    number);
  }
  void call(const char* name, std::int64_t start, std::int64_t length) {
    trace_.add_event(host_, name, "cuda_runtime", Nanoseconds(start), Nanoseconds(length));
  }
  /// The same without waits for the device but those of calls that take or free memory.
  std::int64_t saved_without_waits(std::int64_t end) const {
    const Activity activity = activity_of(trace_);
    Steps steps;
    steps.list = {{0, {0, end}, {0, end}}};
    return Replay(activity, steps).saved_without({.host = {}, .waits = true, .scale = {}}).at(0);
  }
  /// By how much one step whose program ends at `end` would be shorter if works of this name took no time.
  std::int64_t saved_without(const char* name, std::int64_t end) const {
    const Activity activity = activity_of(trace_);
    Steps steps;
    steps.list = {{0, {0, end}, {0, end}}};
    Removal removal;
    removal.scale = [&](const DeviceSpan& span) { return trace_.text(span.name) == name ? 0.0 : 1.0; };
    return Replay(activity, steps).saved_without(removal).at(0);
  }

 private:
  Trace trace_;
  RowId host_ = trace_.add_row(trace_.add_process("python", 1), "main", 1);
  ProcessId gpu_ = trace_.add_process("GPU");
  RowId streams_[3] = {trace_.add_row(gpu_, "stream 7"), trace_.add_row(gpu_, "stream 9"),
                       trace_.add_row(gpu_, "stream 11")};
  std::int64_t number_ = 0;
};

/// The first stream works for 1 ms; so much later the second one begins its 2 ms, which were launched long before.
/// Meanwhile a third one does `others` short ones.
std::int64_t saved_by_the_first(std::int64_t later, int others) {
  Device device;
  device.work(0, 0, 5'000, 1'000'000, "first");
  device.work(1, 10'000, 1'005'000 + later, 2'000'000, "second");
  for (int i = 0; i < others; ++i) device.work(2, 1'300'000 + 1'000 * i, 1'305'000 + 1'000 * i, 500, "other");
  return device.saved_without("first", 1'400'000);
}

TEST(Replay, work_that_begins_as_another_stream_is_done_waited_for_it) {
  EXPECT_EQ(saved_by_the_first(2'000, 0), 992'000) << "it begins when it was launched: at 15,000";
  EXPECT_EQ(saved_by_the_first(50'000, 0), 1'000'000);
  EXPECT_EQ(saved_by_the_first(50'001, 0), 0) << "too late to have waited";
  EXPECT_EQ(saved_by_the_first(2'000, 40), 992'000) << "however much begins later";
}

TEST(Replay, work_that_goes_on_is_nothing_that_another_stream_waited_for) {
  Device device;
  device.work(0, 0, 5'000, 2'000'000, "first");
  device.work(1, 10'000, 1'007'000, 2'000'000, "second");
  EXPECT_EQ(device.saved_without("first", 1'400'000), 0);
}

/// Work of 1 ms that is waited for, then a call, and so again.
std::int64_t saved_with(const char* call) {
  Device device;
  device.work(0, 0, 5'000, 1'000'000);
  device.call("cudaStreamSynchronize", 10'000, 1'000'000);
  device.call(call, 1'010'000, 100'000);
  device.work(0, 1'110'000, 1'115'000, 1'000'000);
  device.call("cudaStreamSynchronize", 1'120'000, 1'000'000);
  return device.saved_without_waits(2'120'000);
}

TEST(Replay, calls_for_memory_of_the_device_wait_for_it_where_nothing_else_does) {
  EXPECT_EQ(saved_with("cudaStreamIsCapturing"), 115'000) << "one work behind the other, until 2,005,000";
  EXPECT_EQ(saved_with("cudaFree"), 10'000) << "until 1,105,000, and the second work from 1,110,000 on";
}

}  // namespace
}  // namespace takt
