#include "predict/collect/measured_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/basics/error.h"
#include "base/machine/class.h"
#include "places.h"
#include "model/runtime/runtime.h"

namespace takt {
namespace {

TEST(MeasuredMachine, a_processor_needs_no_other_name_than_its_class) {
  EXPECT_EQ(measured_machine("CPU"), to_string(detect_machine_class()));
}

// What the peaks of this machine allow, a runtime reaches a part of: so what is found in one is right to a factor.
TEST(MeasuredMachine, the_peaks_of_a_device_are_what_the_runtime_reaches_there) {
  if (is_sanitized()) GTEST_SKIP() << "much is multiplied, by no other code than elsewhere";
  const auto runtimes = runtime_names();
  if (std::find(runtimes.begin(), runtimes.end(), "onnxruntime") == runtimes.end())
    GTEST_SKIP() << "no ONNX Runtime in this binary";
  RunSettings settings;
  settings.runtime = "onnxruntime", settings.threads = 1;
  const MachineConstants peaks = measured_constants(settings), reached = constants_in_runtime(settings, 1024);
  EXPECT_GT(reached.flops_per_s, 0.2 * peaks.flops_per_s);
  EXPECT_LT(reached.flops_per_s, 1.5 * peaks.flops_per_s);
  EXPECT_GT(reached.bytes_per_s, 0.1 * peaks.bytes_per_s);
  EXPECT_LT(reached.bytes_per_s, 3 * peaks.bytes_per_s);
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
