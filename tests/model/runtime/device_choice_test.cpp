#include "model/runtime/device_choice.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"

namespace takt {
namespace {

const std::vector<DeviceStatus> devices{
    {"CPU", "a CPU", std::nullopt}, {"GPU.0", "a GPU", std::nullopt}, {"NPU", "", "its driver is not installed"}};

std::string refusal(std::string_view wanted) {
  try {
    return "accepted as " + choose_device(devices, wanted, "m.onnx: sdk", "The SDK");
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    return e.what();
  }
}

TEST(DeviceChoice, letters_may_be_small_and_the_runtime_decides_the_spelling) {
  EXPECT_EQ(choose_device(devices, "cpu", "", ""), "CPU");
  EXPECT_EQ(choose_device(devices, "gpu.0", "", ""), "GPU.0");
}

TEST(DeviceChoice, a_kind_of_device_stands_for_its_first) { EXPECT_EQ(choose_device(devices, "gpu", "", ""), "GPU"); }

TEST(DeviceChoice, words_of_frameworks_and_vendors_mean_takts) {
  for (const char* word : {"cuda", "CUDA:0", "cuda.0", "gpu:0", "/GPU:0", "nvidia", "CUDAExecutionProvider"})
    EXPECT_EQ(choose_device(devices, word, "", "").substr(0, 3), "GPU") << word;
  for (const char* word : {"cpu:0", "CPU.0", "CPUExecutionProvider"}) {
    EXPECT_EQ(choose_device(devices, word, "", ""), "CPU") << word;
    EXPECT_TRUE(names_cpu(word)) << word;
  }
  EXPECT_FALSE(names_cpu("GPU"));
  EXPECT_TRUE(names_device(devices[1], "CUDA:0"));
  EXPECT_FALSE(names_device(devices[1], "CUDA:1"));
}

TEST(DeviceChoice, what_cannot_be_used_is_refused_with_the_reason_and_what_can) {
  EXPECT_EQ(refusal("npu"), "m.onnx: sdk: device npu cannot be used: its driver is not installed; use CPU, GPU.0");
  EXPECT_EQ(refusal("TPU"),
            "m.onnx: sdk: device TPU cannot be used: The SDK has no device of this name; use CPU, GPU.0");
  EXPECT_EQ(refusal("GPU.1"),
            "m.onnx: sdk: device GPU.1 cannot be used: The SDK has no device of this name; use CPU, GPU.0");
}

}  // namespace
}  // namespace takt
