#include "model/runtime/gpu_activity.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <string>

#include "base/basics/error.h"
#include "base/system/shared_library.h"

namespace takt {
namespace {

using namespace std::chrono_literals;
using Kind = GpuActivity::Kind;

/// What the fake GPU is told to have done.
class FakeCupti {
 public:
  FakeCupti() : library_({TAKT_FAKE_CUPTI}) {
    ::setenv("TAKT_CUPTI_LIBRARY", TAKT_FAKE_CUPTI, 1);
    library_.get(call, {"fake_cupti_call"});
    library_.get(work, {"fake_cupti_work"});
    library_.get(listeners, {"fake_cupti_listeners"});
  }

 private:
  SharedLibrary library_;

 public:
  void (*call)(std::uint64_t, std::uint64_t, std::uint32_t) = nullptr;
  void (*work)(std::uint32_t, std::uint64_t, std::uint64_t, std::uint32_t, std::uint8_t) = nullptr;
  int (*listeners)() = nullptr;
};

// One process has one listener: the refusal comes before it is made, so all is in one test.
TEST(GpuActivity, tells_what_the_gpu_did_and_when_the_host_asked_for_it) {
  const FakeCupti fake;
  for (const auto& [call, purpose] :
       std::map<const char*, std::string>{{"cuptiActivityRegisterTimestampCallback", "setting the clock"},
                                          {"cuptiActivityRegisterCallbacks", "requesting the GPU's times"},
                                          {"cuptiActivityEnable", "requesting the GPU's times"}}) {
    ::setenv("FAKE_CUPTI_REFUSES", call, 1);
    try {
      GpuActivityRecorder::of_process();
      FAIL() << call << " was refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), purpose + ": CUPTI reports CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED (39)") << call;
    }
  }
  ::unsetenv("FAKE_CUPTI_REFUSES");
  GpuActivityRecorder::stop_any();  // there is none
  GpuActivityRecorder& recorder = GpuActivityRecorder::of_process();
  EXPECT_EQ(fake.listeners(), 0) << "nobody asked it to listen yet";
  fake.work(10, 1, 2, 1, 0);
  EXPECT_TRUE(recorder.take().empty());

  recorder.start();
  recorder.start();
  fake.call(1000, 1010, 7);
  fake.work(10, 1100, 1300, 7, 0);
  fake.call(900, 905, 6);
  fake.work(1, 950, 990, 6, 1);
  fake.work(1, 1400, 1450, 8, 2);
  fake.work(1, 1460, 1470, 9, 8);
  fake.work(2, 1480, 1490, 10, 0);
  fake.work(10, 1500, 0, 11, 0);  // still runs
  const auto told = recorder.take();
  ASSERT_EQ(told.size(), 5u);
  EXPECT_EQ(told[0].kind, Kind::copy_to_gpu);
  EXPECT_EQ(told[0].launched, 900ns);
  EXPECT_EQ(told[0].start, 950ns);
  EXPECT_EQ(told[0].end, 990ns);
  EXPECT_EQ(told[1].kind, Kind::kernel);
  EXPECT_EQ(told[1].launched, 1000ns) << "the runtime's call, not the driver's within it";
  EXPECT_EQ(told[2].kind, Kind::copy_to_host);
  EXPECT_FALSE(told[2].launched);
  EXPECT_EQ(told[3].kind, Kind::copy_on_gpu);
  EXPECT_EQ(told[4].kind, Kind::fill);
  EXPECT_TRUE(recorder.take().empty()) << "each is told once";

  fake.work(10, 1700, 1700, 20, 0);  // too short for the GPU's clock
  fake.work(10, 1700, 1699, 21, 0);  // cannot be
  fake.work(10, 1700, 1705, 22, 0);
  fake.work(1, 1600, 1610, 23, 3);
  fake.call(1650, 1660, 22);
  fake.call(1640, 1645, 22);  // the same work by another name, and earlier
  const auto borders = recorder.take();
  ASSERT_EQ(borders.size(), 3u);
  EXPECT_EQ(borders[0].kind, Kind::copy_on_gpu);
  EXPECT_EQ(borders[1].end, 1700ns) << "of one instant in the order that they were told";
  EXPECT_EQ(borders[2].end, 1705ns);
  EXPECT_EQ(borders[2].launched, 1640ns);
  EXPECT_FALSE(borders[1].launched);
  for (std::uint32_t i = 0; i < 20'000; ++i) fake.work(10, 2000 + i, 2001 + i, 100 + i, 0);  // several buffers
  EXPECT_EQ(recorder.take().size(), 20'000u);
  GpuActivityRecorder::stop_any();
  EXPECT_EQ(fake.listeners(), 0);
}

}  // namespace
}  // namespace takt
