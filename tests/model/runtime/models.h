// Small models with results that fit in a comment.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "model/onnx/builder.h"
#include "model/onnx/onnx.h"
#include "model/runtime/runtime.h"
#include "test_folder.h"

namespace takt {

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
