#include "predict/gpu/probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/basics/error.h"
#include "predict/gpu/worker.h"
#include "predict/load/fake_driver.h"
#include "predict/sources/sources.h"
#include "predict/stress/gpu_load.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

LoadSnapshot asked(LoadSource& source) {
  const SourceReadings told = source.read();
  return {{}, told.readings, told.troubles};
}

TEST(GpuProbe, tells_what_the_gpu_gives_by_its_own_clock) {
  const FakeCuda fake{};
  {
    GpuProbe probe({20ms, 0, TAKT_FAKE_CUDA});
    const LoadSnapshot quiet = asked(probe);
    // The fake takes 250 us for a product of 1024 x 1024 and 1 ms for 8 MiB there and back, and what passes until it is
    // asked: on a busy machine several times as long.
    const auto is_near = [&](const char* feature, double most) {
      const double told = live_value(quiet, feature, "gpu0").value_or(0);
      return told <= most * 1.001 && told > most / 50;
    };
    EXPECT_TRUE(is_near("gpu_probe_flops", 2.0 * 1024 * 1024 * 1024 / 250e-6));
    EXPECT_TRUE(is_near("gpu_probe_copy_bytes_per_s", 16.0 * 1024 * 1024 / 1e-3));
    const double copies = live_value(quiet, "gpu_probe_copy_bytes_per_s", "gpu0").value_or(0);
    EXPECT_NEAR(copies, fake.copied_bytes_per_s(), 1e-3 * copies) << "all that was copied, in the time that it took";
    EXPECT_GT(live_value(quiet, "gpu_probe_wall_ratio", "gpu0").value_or(0), 0.99);
    for (const LoadReading& one : quiet.readings) {
      EXPECT_EQ(one.source, "gpu_probe");
      EXPECT_EQ(one.age, 0ns);
      EXPECT_GE(one.window, 20ms);
    }
  }
  EXPECT_EQ(fake.left(), 0);
}

TEST(GpuWorker, counts_a_product_of_1024_rows_and_a_copy_of_eight_mebibytes_there_and_back) {
  const FakeCuda fake{{"GPUS", "2"}};
  {
    GpuWorker worker(TAKT_FAKE_CUDA, 1);
    EXPECT_EQ(worker.device_name(), "Fake GPU");
    EXPECT_EQ(worker.flops(), 2'147'483'648.0) << "of one product";
    EXPECT_EQ(worker.copied_bytes(), 16'777'216.0);
    worker.prepare(true, true);
    const double products = worker.flops() / 2'147'483'648.0;
    // By the fake's clock a product takes 250 us at least, and four are a millisecond; eight where rounding has it
    // less.
    EXPECT_TRUE(products == 1 || products == 2 || products == 4 || products == 8) << products;
    EXPECT_GE(worker.multiply(), Nanoseconds(static_cast<std::int64_t>(products * 249'900)));
    EXPECT_GE(worker.copy(), 999us);
    worker.release();
  }
  EXPECT_EQ(fake.left(), 0);
}

TEST(GpuProbe, works_for_a_twentieth_of_a_second_on_the_first_gpu_unless_said_otherwise) {
  const GpuProbeSettings settings;
  EXPECT_EQ(settings.time, 50ms);
  EXPECT_EQ(settings.device, 0);
}

TEST(GpuProbe, tells_of_the_gpu_that_is_meant) {
  const FakeCuda fake{{"GPUS", "2"}};
  GpuProbe probe({1ms, 1, TAKT_FAKE_CUDA});
  const LoadSnapshot told = asked(probe);
  ASSERT_EQ(told.readings.size(), 3u);
  for (const LoadReading& one : told.readings) {
    EXPECT_EQ(one.device, "gpu1");
    EXPECT_GE(one.window.value_or(0ns), 1ms);
  }
}

// Another program's work, on the same GPU: the fake's queue is one for the process.
TEST(GpuProbe, sees_that_another_keeps_the_gpu) {
  const FakeCuda fake{};
  GpuProbe probe({50ms, 0, TAKT_FAKE_CUDA});
  const GpuLoad other({{1, 0}, 0, TAKT_FAKE_CUDA});
  double most = 0;  // where the machine is busy, the other one may not get to work meanwhile
  for (int turn = 0; turn < 40 && most < 1.3; ++turn)
    most = std::max(most, live_value(asked(probe), "gpu_probe_wall_ratio").value_or(0));
  EXPECT_GT(most, 1.3) << "it waits until the other one's work is done";
}

TEST(GpuProbe, a_gpu_that_is_lost_is_a_named_trouble) {
  const FakeCuda fake{{"LOST_AFTER", "100"}};
  GpuProbe probe({10ms, 0, TAKT_FAKE_CUDA});
  std::this_thread::sleep_for(150ms);
  const LoadSnapshot told = asked(probe);
  EXPECT_TRUE(told.readings.empty());
  ASSERT_EQ(told.troubles.size(), 1u);
  EXPECT_NE(told.troubles[0].sentence.find("gpu0 reports nothing: "), std::string::npos) << told.troubles[0].sentence;
}

TEST(GpuProbe, where_there_is_none_the_others_tell_the_load) {
  LoadConfig config;
  config.sources = {"gpu_probe"};
  config.gpu_probe.library = "/missing/libcuda.so.1";
  const auto missing = take_snapshot(make_load_sources(config), 1ms);
  ASSERT_EQ(missing.troubles.size(), 1u);
  EXPECT_EQ(missing.troubles[0].sentence.rfind("no CUDA driver is installed", 0), 0u) << missing.troubles[0].sentence;

  const FakeCuda fake{{"MEMORY", "5000000"}};  // another program has the rest
  config.gpu_probe.library = TAKT_FAKE_CUDA;
  const auto full = take_snapshot(make_load_sources(config), 1ms);
  ASSERT_EQ(full.troubles.size(), 1u);
  EXPECT_NE(full.troubles[0].sentence.find("out of memory"), std::string::npos) << full.troubles[0].sentence;
  EXPECT_EQ(fake.left(), 0) << "what it had is given back";
}

}  // namespace
}  // namespace takt
