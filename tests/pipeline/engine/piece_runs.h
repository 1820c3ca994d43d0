// Models run once on a runtime, and what they give held against each other.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/basics/half.h"
#include "model/onnx/onnx.h"
#include "model/runtime/runtime.h"

namespace takt {

/// By the names of tensors.
using Values = std::map<std::string, HostTensor>;

inline std::vector<std::string> real_runtimes() {
  auto names = runtime_names();
  std::erase(names, "sim");
  return names;
}

/// Runs the model on those of the values that it takes.
inline Values run_once(Runtime& runtime, const std::filesystem::path& path, const Values& there,
                       bool all_tensors = false) {
  const Graph graph = read_onnx_structure(path).graph;
  SessionSettings settings;
  settings.threads = 1;
  settings.all_tensors = all_tensors;
  if (runtime.name() == "openvino") settings.precision = ElementType::f32;  // some CPUs take bfloat16 unasked
  for (const TensorId id : graph.inputs) {
    const std::string& name = graph.tensor(id).name;
    settings.input_shapes[name] = there.at(name).shape;
  }
  const auto session = runtime.open(path, &graph, settings);
  std::vector<HostTensor> inputs;
  for (const Port& port : session->inputs()) inputs.push_back(there.at(port.name));
  session->set_inputs(inputs);
  session->run();
  Values outputs;
  for (HostTensor& output : session->outputs_of_last_run()) outputs[output.name] = std::move(output);
  return outputs;
}

template <typename Number>
std::vector<Number> stored(const HostTensor& tensor) {
  std::vector<Number> numbers(tensor.bytes.size() / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
  return numbers;
}

/// nullopt: they are whole numbers, truths or texts.
inline std::optional<std::vector<double>> floating_numbers(const HostTensor& tensor) {
  std::vector<double> numbers;
  if (tensor.type == ElementType::f32)
    for (const float value : stored<float>(tensor)) numbers.push_back(value);
  else if (tensor.type == ElementType::f64)
    numbers = stored<double>(tensor);
  else if (tensor.type == ElementType::f16)
    for (const auto half : stored<std::uint16_t>(tensor)) numbers.push_back(from_half(half));
  else if (tensor.type == ElementType::bf16)
    for (const auto half : stored<std::uint16_t>(tensor)) numbers.push_back(from_bfloat(half));
  else
    return std::nullopt;
  return numbers;
}

/// Every floating-point number within `tolerance` of itself, or of a tenth of the largest, as a sum may cancel out to
/// nearly nothing; halves are good to two digits. Everything else is the same.
inline void expect_close(const HostTensor& got, const HostTensor& wanted, double tolerance) {
  ASSERT_EQ(got.type, wanted.type) << wanted.name;
  ASSERT_EQ(got.shape, wanted.shape) << wanted.name;
  ASSERT_EQ(got.strings, wanted.strings) << wanted.name;
  const auto numbers = floating_numbers(got), right = floating_numbers(wanted);
  if (!numbers) {
    ASSERT_EQ(stored<char>(got), stored<char>(wanted)) << wanted.name;
    return;
  }
  ASSERT_EQ(numbers->size(), right->size()) << wanted.name;
  if (type_bits(got.type) == 16) tolerance = std::max(tolerance, 1e-2);
  double largest = 0;
  for (const double value : *right) largest = std::max(largest, std::abs(value));
  ASSERT_TRUE(std::isfinite(largest)) << wanted.name;
  for (std::size_t i = 0; i < numbers->size(); ++i)
    ASSERT_NEAR((*numbers)[i], (*right)[i], tolerance * std::max(std::abs((*right)[i]), 0.1 * largest) + 1e-30)
        << wanted.name << ", number " << i;
}

}  // namespace takt
