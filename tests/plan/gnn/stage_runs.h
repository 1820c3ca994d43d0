// Models of stages run by the real runtimes of this binary: values for their inputs, and what the formulas say.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/basics/half.h"
#include "base/statistics/random.h"
#include "model/runtime/runtime.h"
#include "places.h"
#include "plan/gnn/plain_layer.h"
#include "plan/gnn/random_edges.h"
#include "plan/gnn/stage_model.h"

namespace takt {

inline constexpr std::int64_t features = 12, hidden = 5;

inline std::vector<std::string> real_runtimes() {
  auto names = runtime_names();
  std::erase(names, "sim");
  return names;
}

/// A graph by a name that a failed test prints.
struct NamedGraph {
  std::string name;
  EdgeList edges;
};

/// Node 4 has no edge at all and node 0 none that arrives; 1 → 1 is a self loop, 0 → 3 is there three times.
inline EdgeList odd_graph() { return {5, {0, 1, 0, 2, 0, 3, 1}, {3, 1, 3, 1, 3, 2, 2}}; }

inline std::vector<NamedGraph> usual_graphs() {
  return {{"uniform", uniform_edges({40, 160}, 3)}, {"power law", power_law_edges({60, 600}, 4)}, {"odd", odd_graph()}};
}

inline std::vector<NamedGraph> small_graphs() {
  return {{"one node with a self loop", {1, {0}, {0}}}, {"one node alone", {1, {}, {}}}, {"no edge", {6, {}, {}}}};
}

inline PlainTensor random_features(std::int64_t nodes) {
  PlainTensor x = plain_tensor(static_cast<std::size_t>(nodes), static_cast<std::size_t>(features));
  Random random(11);
  for (double& value : x.values) value = static_cast<float>(standard_normal(random));
  return x;
}

template <typename Value>
void put(HostTensor& tensor, const std::vector<Value>& values) {
  tensor.bytes.resize(values.size() * sizeof(Value));
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
}

template <typename Value>
std::vector<Value> taken(const HostTensor& tensor) {
  std::vector<Value> values(tensor.bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

inline HostTensor edge_tensor(const EdgeList& edges) {
  HostTensor tensor{"edge_index", ElementType::i64, {2, edges.edges()}, {}, {}};
  auto both = edges.sources;
  both.insert(both.end(), edges.targets.begin(), edges.targets.end());
  put(tensor, both);
  return tensor;
}

inline HostTensor float_tensor(const Port& port, const PlainTensor& plain) {
  Shape shape{static_cast<std::int64_t>(plain.rows)};
  if (port.shape.size() == 2) shape.push_back(static_cast<std::int64_t>(plain.columns));
  HostTensor tensor{port.name, port.type, shape, {}, {}};
  if (port.type == ElementType::f16) {
    std::vector<std::uint16_t> halves;
    for (const double value : plain.values) halves.push_back(to_half(value));
    put(tensor, halves);
  } else {
    put(tensor, std::vector<float>(plain.values.begin(), plain.values.end()));
  }
  return tensor;
}

inline std::vector<double> numbers_of(const HostTensor& tensor) {
  std::vector<double> numbers;
  if (tensor.type == ElementType::f16)
    for (const auto half : taken<std::uint16_t>(tensor)) numbers.push_back(from_half(half));
  else
    for (const float value : taken<float>(tensor)) numbers.push_back(value);
  return numbers;
}

/// Each number within `tolerance` of itself, or of a tenth of the largest: a sum may cancel out to nearly nothing.
inline void expect_close(const std::vector<double>& got, const PlainTensor& wanted, double tolerance,
                         const std::string& what) {
  ASSERT_EQ(got.size(), wanted.values.size()) << what;
  double largest = 0;
  for (const double value : wanted.values) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], wanted.values[i], tolerance * std::max(std::abs(wanted.values[i]), 0.1 * largest) + 1e-30)
        << what << ", number " << i;
}

inline HostTensor node_tensor(const EdgeList& edges) {
  HostTensor tensor{"num_nodes", ElementType::i64, {1}, {}, {}};
  put(tensor, std::vector<std::int64_t>{edges.nodes});
  return tensor;
}

inline std::vector<Port> ports_in(const OnnxModel& model) {
  std::vector<Port> ports;
  for (const TensorId input : model.graph.inputs) {
    const Tensor& tensor = model.graph.tensor(input);
    ports.push_back({tensor.name, tensor.type, *tensor.shape});
  }
  return ports;
}

/// The outputs of the model, whose inputs have values in this order.
inline std::vector<HostTensor> run_model(Runtime& runtime, const OnnxModel& model,
                                         const std::vector<HostTensor>& inputs, const std::filesystem::path& folder) {
  const auto path = folder / "model.onnx";
  write_onnx(model, path);
  SessionSettings settings;
  settings.precision = ElementType::f32;  // some processors have units for bfloat16, which a runtime takes unasked
  settings.threads = 2;                   // so that sums that lose edges between threads would show
  for (const HostTensor& input : inputs) settings.input_shapes[input.name] = input.shape;
  const auto session = runtime.open(path, &model.graph, settings);
  session->set_inputs(inputs);
  session->run();
  return session->outputs_of_last_run();
}

}  // namespace takt
