#include "predict/gpu/nvml_load.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "predict/load/source.h"

namespace takt {
namespace {

/// What the fake library does while this lives.
class FakeNvml {
 public:
  FakeNvml(std::initializer_list<std::pair<std::string, std::string>> settings) {
    for (const char* name : {"FAILS", "GPUS", "GPM", "LOST_AFTER", "INIT", "BROKEN", "REASONS"})
      ::unsetenv((prefix + name).c_str());
    for (const auto& [name, value] : settings) ::setenv((prefix + name).c_str(), value.c_str(), 1);
  }
  ~FakeNvml() {
    for (const char* name : {"FAILS", "GPUS", "GPM", "LOST_AFTER", "INIT", "BROKEN", "REASONS"})
      ::unsetenv((prefix + name).c_str());
  }

 private:
  const std::string prefix = "FAKE_NVML_";
};

const LoadReading& nvml_reading(const SourceReadings& told, std::string_view name, std::string_view device = "gpu0") {
  for (const LoadReading& one : told.readings)
    if (one.name == name && one.device == device) return one;
  throw std::runtime_error("no reading " + std::string(name));
}

std::string nvml_refusal(const std::string& library) {
  try {
    const NvmlLoad load(library);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    return error.what();
  }
  return "accepted";
}

TEST(NvmlLoad, figures_that_cannot_be_are_missing_with_the_reason) {
  const FakeNvml fake{{"BROKEN", "1"}};
  std::vector<std::unique_ptr<LoadSource>> sources;
  sources.push_back(std::make_unique<NvmlLoad>(TAKT_FAKE_NVML));
  const SourceReadings told{read_all(sources).readings, {}};
  EXPECT_FALSE(nvml_reading(told, "gpu_busy_share").value);
  EXPECT_EQ(nvml_reading(told, "gpu_busy_share").trouble, "reported 42949672.95, which is more than 1");
  EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_memory_busy_share").value, 0.25);
  EXPECT_FALSE(nvml_reading(told, "gpu_memory_used_bytes").value);
  EXPECT_EQ(nvml_reading(told, "gpu_memory_used_bytes").trouble, "reported 1001 B, more than the memory's 1000 B");
  EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_memory_free_bytes").value, 600);
}

TEST(NvmlLoad, tells_the_figures_of_every_gpu_in_takts_units) {
  const FakeNvml fake{{"GPUS", "3"}};
  NvmlLoad load(TAKT_FAKE_NVML);
  const SourceReadings told = load.read();
  EXPECT_TRUE(told.troubles.empty());
  for (const int gpu : {0, 1, 2}) {  // each figure of the fake is one more in each next GPU
    const std::string name = "gpu" + std::to_string(gpu);
    const std::pair<const char*, double> figures[] = {{"gpu_busy_share", 0.75 + gpu * 0.01},
                                                      {"gpu_memory_busy_share", 0.25 + gpu * 0.01},
                                                      {"gpu_sm_clock_hertz", 1.98e9 + gpu * 1e6},
                                                      {"gpu_memory_clock_hertz", 2.619e9 + gpu * 1e6},
                                                      {"gpu_power_watts", 350.5 + gpu},
                                                      {"gpu_temperature_celsius", 61 + gpu},
                                                      {"gpu_memory_used_bytes", 400 + gpu},
                                                      {"gpu_memory_free_bytes", 600 - gpu},
                                                      {"gpu_throttled", 1},
                                                      {"gpu_pcie_sent_bytes_per_s", (10 + gpu) * 1024},
                                                      {"gpu_pcie_received_bytes_per_s", (20 + gpu) * 1024}};
    for (const auto& [figure, value] : figures)
      EXPECT_DOUBLE_EQ(nvml_reading(told, figure, name).value.value_or(-1), value) << figure << " of " << name;
    EXPECT_EQ(nvml_reading(told, "gpu_busy_share", name).window, std::chrono::seconds(1));
    EXPECT_EQ(nvml_reading(told, "gpu_memory_busy_share", name).window, std::chrono::seconds(1));
    EXPECT_EQ(nvml_reading(told, "gpu_pcie_sent_bytes_per_s", name).window, std::chrono::milliseconds(20));
    EXPECT_FALSE(nvml_reading(told, "gpu_power_watts", name).window);
    for (const char* counter : {"gpu_engine_active_share", "gpu_sm_active_share", "gpu_dram_active_share"})
      EXPECT_NE(nvml_reading(told, counter, name).trouble.find("GPM"), std::string::npos);
  }
}

TEST(NvmlLoad, what_keeps_the_clock_down_is_not_idleness_or_a_users_setting) {
  const auto throttled = [](unsigned reasons) {
    const FakeNvml fake{{"REASONS", std::to_string(reasons)}};
    NvmlLoad load(TAKT_FAKE_NVML);
    const SourceReadings told = load.read();
    return nvml_reading(told, "gpu_throttled").value;
  };
  for (const unsigned reason : {0x04u, 0x08u, 0x20u, 0x40u, 0x80u}) EXPECT_EQ(throttled(reason), 1) << reason;
  for (const unsigned reason : {0x00u, 0x01u, 0x02u, 0x10u, 0x100u}) EXPECT_EQ(throttled(reason), 0) << reason;
  EXPECT_EQ(throttled(0x01 | 0x80), 1);
}

TEST(NvmlLoad, counters_are_of_the_span_since_begin) {
  const FakeNvml fake{{"GPM", "1"}};
  NvmlLoad load(TAKT_FAKE_NVML);
  load.begin();
  const SourceReadings told = load.read();
  // A metric's value is its number in NVIDIA's nvmlGpmMetricId_t.
  for (const auto& [name, value] : {std::pair("gpu_engine_active_share", 0.01),
                                    {"gpu_sm_active_share", 0.02},
                                    {"gpu_sm_occupancy_share", 0.03},
                                    {"gpu_tensor_active_share", 0.05},
                                    {"gpu_dram_active_share", 0.10},
                                    {"gpu_fp32_active_share", 0.12},
                                    {"gpu_fp16_active_share", 0.13},
                                    {"gpu_pcie_sent_bytes_per_s", 20 * 1048576.0},
                                    {"gpu_pcie_received_bytes_per_s", 21 * 1048576.0}})
    EXPECT_DOUBLE_EQ(nvml_reading(told, name).value.value_or(-1), value) << name;
  EXPECT_FALSE(nvml_reading(told, "gpu_fp64_active_share").value);
  EXPECT_EQ(nvml_reading(told, "gpu_fp64_active_share").trouble, "Not Supported");
  EXPECT_TRUE(nvml_reading(told, "gpu_sm_active_share").window);
  EXPECT_DOUBLE_EQ(*nvml_reading(load.read(), "gpu_sm_active_share").value, 0.02)
      << "a second reading of the same window";
}

TEST(NvmlLoad, samples_are_given_back) {
  const FakeNvml fake{{"GPM", "1"}, {"GPUS", "3"}};
  const SharedLibrary library({TAKT_FAKE_NVML});
  auto* const open = library.find<int()>({"fake_nvml_open_samples"});
  ASSERT_TRUE(open);
  {
    NvmlLoad load(TAKT_FAKE_NVML);
    EXPECT_EQ(open(), 6);
  }
  EXPECT_EQ(open(), 0);
}

TEST(NvmlLoad, a_gpu_that_vanishes_is_named) {
  for (const char* counters : {"0", "1"}) {
    const FakeNvml fake{{"LOST_AFTER", "5"}, {"GPM", counters}};
    NvmlLoad load(TAKT_FAKE_NVML);
    for (int turn = 0; turn < 2; ++turn) load.begin(), load.read();
    const SourceReadings told = load.read();
    ASSERT_EQ(told.troubles.size(), 1u);
    EXPECT_EQ(told.troubles.front().sentence,
              "gpu0 reports nothing: the GPU was lost: it fell off the bus or was reset");
    for (const LoadReading& one : told.readings) EXPECT_FALSE(one.is_live()) << one.name;
  }
  const FakeNvml fake{{"LOST_AFTER", "2"}};
  NvmlLoad load(TAKT_FAKE_NVML);
  const SourceReadings half = load.read();
  EXPECT_TRUE(half.troubles.empty());
  EXPECT_TRUE(nvml_reading(half, "gpu_busy_share").is_live());
  EXPECT_EQ(nvml_reading(half, "gpu_power_watts").trouble, "the GPU was lost: it fell off the bus or was reset");
}

TEST(NvmlLoad, what_is_not_there_is_one_sentence) {
  EXPECT_EQ(nvml_refusal("/missing/libnvidia-ml.so.1")
                .rfind("no NVIDIA driver is installed: its management library cannot be loaded (", 0),
            0u);
  EXPECT_NE(nvml_refusal("libm.so.6").find("does not have the function nvmlInit_v2"), std::string::npos);
  {
    const FakeNvml fake{{"INIT", "9"}};
    EXPECT_EQ(nvml_refusal(TAKT_FAKE_NVML), "the NVIDIA driver does not start: Driver Not Loaded");
  }
  {
    const FakeNvml fake{{"FAILS", "nvmlDeviceGetCount_v2"}};
    EXPECT_EQ(nvml_refusal(TAKT_FAKE_NVML), "the NVIDIA driver does not list its GPUs: Not Supported");
  }
  {
    const FakeNvml fake{{"FAILS", "nvmlDeviceGetHandleByIndex_v2"}};
    EXPECT_EQ(nvml_refusal(TAKT_FAKE_NVML), "GPU 0 cannot be queried: Not Supported");
  }
  const FakeNvml fake{{"GPUS", "0"}};
  EXPECT_EQ(nvml_refusal(TAKT_FAKE_NVML), "the NVIDIA driver finds no GPU");
}

}  // namespace
}  // namespace takt
