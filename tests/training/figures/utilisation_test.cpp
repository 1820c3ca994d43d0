// How much of a device's peak the counted operators of a training reach.
#include "training/figures/utilisation.h"

#include <gtest/gtest.h>

#include "made_work.h"

namespace takt {
namespace {

/// A product of 2 x 1000 x 1000 x 50000 = 10^11 operations that a kernel of 1000 us does, and one of a tenth in 100 us.
MadeWork two_products(const char* device) {
  MadeWork made;
  if (device != nullptr) made.trace.set_property("deviceProperties", device);
  made.add(made.loop, "aten::mm", "cpu_op", 0, 10, {{"Input Dims", TraceJsonText{"[[1000,50000],[50000,1000]]"}}});
  made.launch(made.loop, 2, "gemm", 20, 1000);
  made.add(made.loop, "aten::bmm", "cpu_op", 20, 10, {{"Input Dims", TraceJsonText{"[[1,1000,5000],[1,5000,1000]]"}}});
  made.launch(made.loop, 22, "gemm", 1020, 100);
  return made;
}

std::optional<Utilisation> of(const MadeWork& made, std::int64_t time_ns) {
  return utilisation_of(made.trace, activity_of(made.trace), time_ns);
}

TEST(Utilisation, is_counted_operations_of_what_the_device_can) {
  const auto one = of(two_products(R"([{"id":0,"name":"NVIDIA A100-SXM4-40GB"}])"), 2'200'000);
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->device, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(one->peak_tflops, 312);
  EXPECT_NEAR(one->of_peak, 1.1e11 / 2.2e-3 / 312e12, 1e-9) << "50 TFLOP/s";
  EXPECT_EQ(one->longest, "aten::mm");
  EXPECT_NEAR(one->longest_of_peak, 1e11 / 1e-3 / 312e12, 1e-9) << "100 TFLOP/s";
}

TEST(Utilisation, is_of_all_devices_that_work) {
  MadeWork made = two_products(R"([{"id":0,"name":"Tesla V100-DGXS-32GB"}])");
  made.add(made.trace.add_row(made.trace.add_process("GPU 1", 21), "stream 7", 7), "gemm", "kernel", 20, 10);
  const auto one = of(made, 2'200'000);
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->peak_tflops, 250);
  EXPECT_NEAR(one->of_peak, 50.0 / 250, 1e-9);
  EXPECT_NEAR(one->longest_of_peak, 100.0 / 125, 1e-9) << "it runs on one of them";
}

TEST(Utilisation, needs_a_device_that_is_known_and_shapes) {
  EXPECT_FALSE(of(two_products(nullptr), 1000).has_value());
  EXPECT_FALSE(of(two_products(R"([{"id":0,"name":"Voodoo 2"}])"), 1000).has_value());
  EXPECT_FALSE(of(two_products("[]"), 1000).has_value());
  EXPECT_FALSE(of(two_products(R"([{"id":0,"name":"NVIDIA H100 80GB HBM3"}])"), 0).has_value());
  MadeWork without;
  without.trace.set_property("deviceProperties", R"([{"id":0,"name":"NVIDIA H100 80GB HBM3"}])");
  without.add(without.loop, "aten::mm", "cpu_op", 0, 10);
  without.launch(without.loop, 2, "gemm", 20, 1000);
  EXPECT_FALSE(of(without, 1000).has_value());
}

TEST(Utilisation, peaks_are_found_by_words_of_the_name) {
  EXPECT_EQ(peak_of_device("NVIDIA H100 PCIe")->matrix_tflops, 756);
  EXPECT_EQ(peak_of_device("NVIDIA H100 80GB HBM3")->matrix_tflops, 989);
  EXPECT_EQ(peak_of_device("NVIDIA A10")->matrix_tflops, 125);
  EXPECT_EQ(peak_of_device("AMD Instinct MI300X")->matrix_tflops, 1307);
  EXPECT_FALSE(peak_of_device("NVIDIA RTX A4000").has_value());
  EXPECT_FALSE(peak_of_device("XT4").has_value());
}

}  // namespace
}  // namespace takt
