#include "predict/stress/gpu_load.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/basics/error.h"
#include "predict/gpu/cuda_library.h"
#include "predict/load/fake_driver.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

std::string gpu_refusal(GpuSettings settings) {
  try {
    const GpuLoad work(settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

/// The shares that a load reached in a while.
std::pair<double, double> reached(GpuLevels levels, Nanoseconds time) {
  const GpuLoad work({levels, 0, TAKT_FAKE_CUDA});
  const auto before = work.worked();
  const Nanoseconds begin = steady_now();
  std::this_thread::sleep_for(time);
  const auto after = work.worked();
  const auto span = static_cast<double>((steady_now() - begin).count());
  EXPECT_EQ(work.failure(), "");
  return {static_cast<double>((after.compute - before.compute).count()) / span,
          static_cast<double>((after.copies - before.copies).count()) / span};
}

TEST(GpuLoad, keeps_to_its_level_by_the_gpus_clock) {
  const FakeCuda fake{};
  const auto [compute, copies] = reached({0.5, 0.25}, 400ms);
  EXPECT_GT(compute, 0.25);
  EXPECT_LT(compute, 0.65);
  EXPECT_GT(copies, 0.1);
  EXPECT_LT(copies, 0.4);
  const auto [low, none] = reached({0.1, 0}, 300ms);
  EXPECT_LT(low, 0.25);
  EXPECT_GT(low, 0);
  EXPECT_EQ(none, 0);
  EXPECT_EQ(fake.left(), 0);
}

TEST(GpuLoad, a_gpu_that_vanishes_ends_the_load_with_a_sentence) {
  const FakeCuda fake{{"LOST_AFTER", "100"}};
  const GpuLoad work({{1, 0}, 0, TAKT_FAKE_CUDA});
  EXPECT_EQ(work.device_name(), "Fake GPU");
  for (int turn = 0; turn < 1000 && work.failure().empty(); ++turn) std::this_thread::sleep_for(10ms);
  EXPECT_NE(work.failure().find("the CUDA driver reports 'unspecified launch failure' (719)"), std::string::npos)
      << work.failure();
}

TEST(GpuLoad, what_cannot_be_loaded_is_one_sentence) {
  EXPECT_EQ(gpu_refusal({{1, 0}, 0, "/missing/libcuda.so.1"})
                .rfind("no CUDA driver is installed, so takt cannot put load on a GPU: it cannot be loaded (", 0),
            0u);
  EXPECT_NE(gpu_refusal({{1, 0}, 0, "libm.so.6"}).find("does not have the function cuInit"), std::string::npos);
  {
    const FakeCuda fake{{"INIT", "100"}};
    EXPECT_EQ(gpu_refusal({{1, 0}, 0, TAKT_FAKE_CUDA}),
              "takt cannot put load on a GPU: starting the driver: the CUDA driver reports 'no CUDA-capable device is "
              "detected' (100)");
  }
  {
    const FakeCuda fake{{"GPUS", "0"}};
    EXPECT_EQ(gpu_refusal({{1, 0}, 0, TAKT_FAKE_CUDA}), "the CUDA driver finds no GPU");
  }
  const FakeCuda fake{{"GPUS", "2"}, {"MEMORY", "5000000"}};
  EXPECT_EQ(gpu_refusal({{1, 0}, 7, TAKT_FAKE_CUDA}), "GPU 7 does not exist; the driver lists 0 to 1");
  EXPECT_EQ(gpu_refusal({{1, 0}, 1, TAKT_FAKE_CUDA}),
            "allocating GPU memory: the CUDA driver reports 'out of memory' (2)");
  EXPECT_EQ(fake.left(), 0) << "what it had is given back";
}

/// What is told where a call fails, of a load or, later, of its work.
std::string told_where_it_fails(const std::string& call) {
  const FakeCuda fake{{"FAILS", call}};
  std::string told = gpu_refusal({{0.5, 0.25}, 0, TAKT_FAKE_CUDA});
  if (told == "accepted") {
    const GpuLoad work({{0.5, 0.25}, 0, TAKT_FAKE_CUDA});
    for (int turn = 0; turn < 1000 && work.failure().empty(); ++turn) std::this_thread::sleep_for(1ms);
    told = work.failure();
  }
  EXPECT_EQ(fake.left(), 0) << call << ": what it had is given back";
  const std::string says = ": the CUDA driver reports 'an illegal memory access was encountered' (700)";
  EXPECT_TRUE(told.ends_with(says)) << call << ": " << told;
  return told.substr(0, told.size() - std::min(told.size(), says.size()));
}

TEST(GpuLoad, whichever_call_fails_is_told_by_what_it_was_for) {
  EXPECT_EQ(told_where_it_fails("cuDeviceGetCount"), "counting GPUs");
  EXPECT_EQ(told_where_it_fails("cuDeviceGetName"), "reading the GPU's name");
  for (const char* call : {"cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent"})
    EXPECT_EQ(told_where_it_fails(call), "opening the GPU") << call;
  for (const char* call : {"cuStreamCreate", "cuEventCreate", "cuEventCreate:2"})
    EXPECT_EQ(told_where_it_fails(call), "preparing the GPU") << call;
  for (const char* call : {"cuModuleLoadData", "cuModuleGetFunction"})
    EXPECT_EQ(told_where_it_fails(call), "compiling the matrix product") << call;
  for (const char* call : {"cuMemAlloc_v2", "cuMemAlloc_v2:4"})
    EXPECT_EQ(told_where_it_fails(call), "allocating GPU memory") << call;
  EXPECT_EQ(told_where_it_fails("cuMemsetD32_v2"), "writing the GPU's memory");
  EXPECT_EQ(told_where_it_fails("cuMemAllocHost_v2"), "allocating pinned memory");
  for (const char* call : {"cuEventRecord", "cuEventRecord:2", "cuEventSynchronize", "cuLaunchKernel"})
    EXPECT_EQ(told_where_it_fails(call), "working on the GPU") << call;
  EXPECT_EQ(told_where_it_fails("cuEventElapsedTime"), "reading the GPU's clock");
  EXPECT_EQ(told_where_it_fails("cuMemcpyHtoDAsync_v2"), "copying to the GPU");
  EXPECT_EQ(told_where_it_fails("cuMemcpyDtoHAsync_v2"), "copying from the GPU");
}

TEST(GpuLoad, the_first_gpu_has_a_name_where_the_driver_tells_one) {
  ::setenv("TAKT_CUDA_LIBRARY", TAKT_FAKE_CUDA, 1);
  {
    const FakeCuda fake{};
    EXPECT_EQ(first_gpu_name(), "Fake GPU");
  }
  const FakeCuda fake{{"FAILS", "cuDeviceGet"}};
  EXPECT_EQ(first_gpu_name(), std::nullopt);
  ::unsetenv("TAKT_CUDA_LIBRARY");
}

}  // namespace
}  // namespace takt
