// Results of runs written down by hand: no runtime, no clock.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "measure/operators/op_profile.h"

namespace takt {

inline Nanoseconds ns(std::int64_t count) { return Nanoseconds(count); }

inline OpSample sample(std::string name, std::string type, std::int64_t start, std::int64_t duration,
                       std::vector<std::string> model_ops = {}) {
  ExecutedNode node;
  node.name = std::move(name), node.type = std::move(type), node.model_ops = std::move(model_ops);
  OpSample made;
  made.node = std::make_shared<const ExecutedNode>(std::move(node));
  made.start = ns(start), made.duration = ns(duration);
  return made;
}

/// A sample of a node of its own that `change` is applied to.
template <typename Change>
OpSample with(OpSample sample, const Change& change) {
  ExecutedNode node = *sample.node;
  change(node);
  sample.node = std::make_shared<const ExecutedNode>(std::move(node));
  return sample;
}

/// A profiled pass: each run's own time and its operators.
inline RunResult profiled_result(std::vector<std::pair<std::int64_t, std::vector<OpSample>>> runs) {
  RunResult result;
  result.model = "model.onnx", result.runtime = "sim", result.device = "sim:CPU";
  RunPass pass;
  pass.profiled = true;
  for (auto& [time, ops] : runs) {
    pass.samples.push_back(ns(time));
    pass.host_samples.push_back(ns(time + 1));
    pass.ops.push_back(std::move(ops));
  }
  result.profiled = std::move(pass);
  return result;
}

/// A graph of float32 tensors, all of one shape.
class GraphSketch {
 public:
  explicit GraphSketch(Shape shape = {1, 4}) : shape_(std::move(shape)) { graph_.opsets[""] = 17; }

  TensorId tensor(const std::string& name, bool constant = false) {
    if (auto known = graph_.find_tensor(name)) return *known;
    Tensor tensor;
    tensor.name = name, tensor.type = ElementType::f32, tensor.is_constant = constant;
    tensor.shape.emplace();
    for (std::int64_t size : shape_) tensor.shape->push_back({size, ""});
    tensor.bytes = byte_count(tensor.type, tensor.shape);
    graph_.tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(graph_.tensors.size() - 1);
  }

  /// Its output is called as the operator.
  GraphSketch& op(const std::string& name, const std::string& type, const std::vector<std::string>& inputs,
                  bool constant = false) {
    Op op;
    op.name = name, op.type = type;
    for (const auto& input : inputs) op.inputs.push_back(tensor(input));
    op.outputs = {tensor(name, constant)};
    graph_.ops.push_back(std::move(op));
    return *this;
  }

  Graph graph(const std::string& output) {
    graph_.inputs = {tensor("x")}, graph_.outputs = {tensor(output)};
    return graph_;
  }

 private:
  Shape shape_;
  Graph graph_;
};

}  // namespace takt
