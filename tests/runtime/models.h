// Small models with results that fit in a comment, and a folder for their files.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "graph/onnx.h"
#include "runtime/runtime.h"

namespace takt {

/// A folder per test, removed with it.
class TestFolder {
 public:
  TestFolder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string("takt-") + test->test_suite_name() + "-" + test->name();
    for (char& c : name)
      if (c == '/') c = '-';
    path_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::create_directories(path_);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline HostTensor floats(const std::string& name, const Shape& shape, const std::vector<float>& values) {
  HostTensor tensor{name, ElementType::f32, shape, {}, {}};
  tensor.bytes.resize(values.size() * sizeof(float));
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

inline std::vector<float> values_of(const HostTensor& tensor) {
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.data(), values.size() * sizeof(float));
  return values;
}

/// y = Relu(Conv(x, 3×3 of ones, no padding)), x 1×1×4×4: sums of the nine neighbours. Then z = y (as 1×4) ·
/// [1,2,3,4]ᵀ.
inline ModelBuilder conv_matmul() {
  ModelBuilder b;
  const auto x = b.input("x", ElementType::f32, {1, 1, 4, 4});
  const auto w = b.floats(std::vector<float>(9, 1.0f), {1, 1, 3, 3}, "w");
  const auto conv = b.node("Conv", {x, w}, {}, {"conv", "", {"c"}, {}});
  const auto relu = b.node("Relu", {conv}, {}, {"relu", "", {"y"}, {}});
  const auto flat = b.node("Reshape", {relu, b.integers({1, 4})}, {}, {"flatten", "", {"f"}, {}});
  const auto m = b.floats({1, 2, 3, 4}, {4, 1}, "m");
  b.output(b.node("MatMul", {flat, m}, {}, {"matmul", "", {"z"}, {}}), ElementType::f32, {1, 1});
  return b;
}

/// y = Relu(x) with x batch×3.
inline ModelBuilder open_batch() {
  ModelBuilder b;
  const auto x = b.symbolic_input("x", ElementType::f32, "batch,3");
  b.output(b.node("Relu", {x}, {}, {"relu", "", {"y"}, {}}));
  return b;
}

}  // namespace takt
