#include "predict/collect/measured_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/basics/error.h"
#include "base/machine/class.h"
#include "base/machine/peaks_file.h"
#include "base/system/provenance.h"
#include "model/runtime/runtime.h"
#include "places.h"
#include "test_folder.h"

namespace takt {
namespace {

TEST(MeasuredMachine, a_processor_needs_no_other_name_than_its_class) {
  EXPECT_EQ(measured_machine("CPU"), to_string(detect_machine_class()));
}

TEST(MeasuredMachine, a_gpu_is_named_behind_it_where_a_driver_tells_its_name) {
  ::setenv("TAKT_CUDA_LIBRARY", "/missing/libcuda.so.1", 1);
  EXPECT_EQ(measured_machine("GPU"), to_string(detect_machine_class()));
  ::unsetenv("TAKT_CUDA_LIBRARY");
}

TEST(MeasuredMachine, constants_are_those_that_were_measured_before) {
  const TestFolder folder;
  const char* const before = std::getenv("TAKT_CACHE_DIR");
  const std::string kept = before ? before : "";
  ::setenv("TAKT_CACHE_DIR", folder.path().c_str(), 1);
  Peaks peaks;
  peaks.reads_with = "x", peaks.threads = 2;
  peaks.compute = {{NumberType::f32, "a", {{30, 1}, {50, 1}}}};
  peaks.levels = {{"DRAM", {}, {}, {{4, 1}, {9, 1}}, {{5, 1}, {8, 1}}}};
  save_peaks(peaks, detect_machine_class(), make_provenance({"takt"}));
  const auto constants_with = [](std::optional<int> threads) {
    RunSettings settings;
    settings.threads = threads;
    return measured_constants(settings);
  };
  EXPECT_EQ(constants_with(1), (MachineConstants{30, 5}));
  EXPECT_EQ(constants_with(std::nullopt), (MachineConstants{30, 5}));
  EXPECT_EQ(constants_with(2), (MachineConstants{50, 9}));
  before ? ::setenv("TAKT_CACHE_DIR", kept.c_str(), 1) : ::unsetenv("TAKT_CACHE_DIR");
}

// What the peaks of this machine allow, a runtime reaches a part of, and less where others are busy: so what is found
// in one is right to a factor of some thirty; a unit is a thousand.
TEST(MeasuredMachine, the_peaks_of_a_device_are_what_the_runtime_reaches_there) {
  if (is_sanitized()) GTEST_SKIP() << "much is multiplied, by no other code than elsewhere";
  const auto runtimes = runtime_names();
  if (std::find(runtimes.begin(), runtimes.end(), "onnxruntime") == runtimes.end())
    GTEST_SKIP() << "no ONNX Runtime in this binary";
  RunSettings settings;
  settings.runtime = "onnxruntime", settings.threads = 1;
  const MachineConstants peaks = measured_constants(settings), reached = constants_in_runtime(settings, 1024);
  EXPECT_GT(reached.flops_per_s, peaks.flops_per_s / 30);
  EXPECT_LT(reached.flops_per_s, peaks.flops_per_s * 30);
  EXPECT_GT(reached.bytes_per_s, peaks.bytes_per_s / 30);
  EXPECT_LT(reached.bytes_per_s, peaks.bytes_per_s * 30);
}

TEST(MeasuredMachine, a_runtime_that_is_not_there_is_named_without_a_file_that_nobody_knows) {
  RunSettings settings;
  settings.runtime = "abacus";
  try {
    constants_in_runtime(settings, 8);
    ADD_FAILURE() << "measured";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("abacus"));
    EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("peaks.onnx")));
  }
}

}  // namespace
}  // namespace takt
