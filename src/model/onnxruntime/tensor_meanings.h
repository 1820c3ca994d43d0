// Which tensor of the model each tensor of ONNX Runtime's optimised graph holds, settled by structure alone.
//
// The optimiser keeps the name of a tensor that it does not remove, but blocked layouts (nchwc), other types and fused
// views make tensors with new names ("reorder_token_7") that hold the old values. What those are follows from four
// rules:
// 1. A tensor whose name is the model's own is the model's own.
// 2. A node that is one operator of the model (by its name, by the tensor it was made for, or as it makes what that
//    operator does) reads what that operator reads: so its inputs are known, and with them what the nodes before it
//    make, whatever was fused there.
// 3. A node that the optimiser added to change layout, type or shape holds on both sides the same tensor.
// 4. Where nobody reads a tensor that way, the node that makes it says how far it goes: from its operator over the sum
//    that its further input names to the activation that it carries.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/graph/graph.h"
#include "model/onnxruntime/optimised_node.h"

namespace takt::ort {

/// The model's operators by the tensors that they make and read, and which of those are the same.
struct ModelTensors {
  explicit ModelTensors(const Graph& graph);

  std::optional<std::size_t> producer(TensorId id) const;  ///< index into graph.ops
  const std::vector<std::size_t>& consumers(TensorId id) const;
  bool are_same(TensorId a, TensorId b) const;

  const Graph& graph;
  std::unordered_map<std::string_view, TensorId> by_name;
  std::unordered_map<std::string_view, std::size_t> ops_by_name;
  std::vector<TensorId> same;  ///< same_values()

 private:
  std::vector<std::optional<std::size_t>> producers_;
  std::vector<std::vector<std::size_t>> consumers_;
};

/// Refers to its arguments: keep them alive. Not thread-safe.
class TensorMeanings {
 public:
  TensorMeanings(const std::vector<OptimisedNode>& nodes, const ModelTensors& model);

  /// nullopt: not known.
  std::optional<TensorId> of(const std::string& tensor) const;
  /// The operator that a node is, whatever else was fused into it; nullopt: the optimiser made it of several, or added
  /// it.
  std::optional<std::size_t> main_op(std::size_t node) const { return main_ops_[node]; }

 private:
  std::optional<std::size_t> find_main_op(const OptimisedNode& node) const;
  std::optional<TensorId> named_tensor(const OptimisedNode& node) const;
  std::optional<std::size_t> nearest(TensorId from, std::string_view kernel) const;
  bool learn_main_op(std::size_t node);
  bool learn(const std::string& tensor, std::optional<TensorId> meaning);
  bool learn_inputs(std::size_t node);
  bool learn_across(std::size_t node);
  void settle();
  void learn_output(std::size_t node);
  std::optional<TensorId> fused_end(const OptimisedNode& node) const;
  std::optional<TensorId> last_tensor_of(std::size_t node) const;
  std::optional<TensorId> after(TensorId tensor, std::string_view type, std::optional<TensorId> other) const;

  const std::vector<OptimisedNode>& nodes_;
  const ModelTensors& model_;
  std::vector<std::optional<std::size_t>> main_ops_;
  std::unordered_map<std::string, TensorId> meanings_;
};

}  // namespace takt::ort
