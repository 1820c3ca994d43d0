#include "load/nvml_load.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "load/load_source.h"

namespace takt {
namespace {

/// What the fake library does while this lives.
class FakeNvml {
 public:
  FakeNvml(std::initializer_list<std::pair<std::string, std::string>> settings) {
    for (const char* name : {"FAILS", "GPUS", "GPM", "LOST_AFTER", "INIT", "BROKEN"})
      ::unsetenv((prefix + name).c_str());
    for (const auto& [name, value] : settings) ::setenv((prefix + name).c_str(), value.c_str(), 1);
  }
  ~FakeNvml() {
    for (const char* name : {"FAILS", "GPUS", "GPM", "LOST_AFTER", "INIT", "BROKEN"})
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
  EXPECT_EQ(nvml_reading(told, "gpu_memory_used_bytes").trouble, "reported 1001 B of a memory of 1000 B");
  EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_memory_free_bytes").value, 600);
}

TEST(NvmlLoad, tells_the_figures_of_every_gpu_in_takts_units) {
  const FakeNvml fake{{"GPUS", "2"}};
  NvmlLoad load(TAKT_FAKE_NVML);
  const SourceReadings told = load.read();
  EXPECT_TRUE(told.troubles.empty());
  for (const char* gpu : {"gpu0", "gpu1"}) {
    EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_busy_share", gpu).value, 0.75);
    EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_memory_busy_share", gpu).value, 0.25);
    EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_sm_clock_hertz", gpu).value, 1.98e9);
    EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_memory_clock_hertz", gpu).value, 2.619e9);
    EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_power_watts", gpu).value, 350.5);
    EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_temperature_celsius", gpu).value, 61);
    EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_memory_used_bytes", gpu).value, 400);
    EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_memory_free_bytes", gpu).value, 600);
    EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_throttled", gpu).value, 1);
    EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_pcie_sent_bytes_per_s", gpu).value, 10240);
    EXPECT_NE(nvml_reading(told, "gpu_sm_active_share", gpu).trouble.find("GPM"), std::string::npos);
  }
}

TEST(NvmlLoad, counters_are_of_the_span_since_begin) {
  const FakeNvml fake{{"GPM", "1"}};
  NvmlLoad load(TAKT_FAKE_NVML);
  load.begin();
  const SourceReadings told = load.read();
  EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_engine_active_share").value, 0.01);  // a metric's value is its number
  EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_sm_active_share").value, 0.02);
  EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_dram_active_share").value, 0.10);
  EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_fp32_active_share").value, 0.12);
  EXPECT_DOUBLE_EQ(*nvml_reading(told, "gpu_pcie_received_bytes_per_s").value, 21 * 1048576.0);
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
    EXPECT_EQ(told.troubles.front().sentence, "gpu0 tells nothing: the GPU is lost: it fell off the bus or was reset");
    for (const LoadReading& one : told.readings) EXPECT_FALSE(one.is_live()) << one.name;
  }
  const FakeNvml fake{{"LOST_AFTER", "2"}};
  NvmlLoad load(TAKT_FAKE_NVML);
  const SourceReadings half = load.read();
  EXPECT_TRUE(half.troubles.empty());
  EXPECT_TRUE(nvml_reading(half, "gpu_busy_share").is_live());
  EXPECT_EQ(nvml_reading(half, "gpu_power_watts").trouble, "the GPU is lost: it fell off the bus or was reset");
}

TEST(NvmlLoad, what_is_not_there_is_one_sentence) {
  EXPECT_EQ(nvml_refusal("/missing/libnvidia-ml.so.1")
                .rfind("there is no NVIDIA driver: its management library cannot be loaded (", 0),
            0u);
  EXPECT_NE(nvml_refusal("libm.so.6").find("lacks the function nvmlInit_v2"), std::string::npos);
  {
    const FakeNvml fake{{"INIT", "9"}};
    EXPECT_EQ(nvml_refusal(TAKT_FAKE_NVML), "the NVIDIA driver does not start: Driver Not Loaded");
  }
  {
    const FakeNvml fake{{"FAILS", "nvmlDeviceGetCount_v2"}};
    EXPECT_EQ(nvml_refusal(TAKT_FAKE_NVML), "the NVIDIA driver does not tell its GPUs: Not Supported");
  }
  {
    const FakeNvml fake{{"FAILS", "nvmlDeviceGetHandleByIndex_v2"}};
    EXPECT_EQ(nvml_refusal(TAKT_FAKE_NVML), "GPU 0 cannot be asked: Not Supported");
  }
  const FakeNvml fake{{"GPUS", "0"}};
  EXPECT_EQ(nvml_refusal(TAKT_FAKE_NVML), "the NVIDIA driver knows no GPU");
}

}  // namespace
}  // namespace takt
