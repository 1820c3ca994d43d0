#include "model/onnxruntime/fusion_groups.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/basics/index.h"
#include "model/onnxruntime/tensor_meanings.h"

namespace takt::ort {
namespace {

using Group = std::set<std::size_t>;  ///< of places in graph.ops, so in the model's order

class FusionGroups {
 public:
  FusionGroups(std::vector<OptimisedNode>& nodes, const Graph& graph)
      : nodes_(nodes), model_(graph), meanings_(nodes, model_), is_claimed_(graph.ops.size()) {
    for (const OptimisedNode& node : nodes)
      for (const auto* names : {&node.inputs, &node.executed.outputs})
        for (const std::string& name : *names)
          if (const auto id = meanings_.of(name)) border_.insert(model_.same[index(*id)]);
    for (const TensorId id : graph.inputs) border_.insert(id);
  }

  void assign(std::size_t node) {
    ExecutedNode& executed = nodes_[node].executed;
    executed.is_settled = true;
    if (is_part(node)) return;
    const Group group = group_of(nodes_[node]);
    if (group.empty()) return;
    for (const std::size_t op : group) {
      is_claimed_[op] = true;
      executed.model_ops.push_back(model_.graph.ops[op].name);
    }
    if (const auto leader = leader_of(node, group)) {
      executed.leader = model_.graph.ops[*leader].name;
      executed.type = model_.graph.ops[*leader].type;
    } else {  // several operators became one of another kind: it is called after the last of them
      executed.leader = model_.graph.ops[*group.rbegin()].name;
    }
  }

  /// An operator for which there is no kernel is computed by several nodes, as its definition says; the tensors between
  /// them are named "_inlfunc_…". Those nodes are parts of the operator, as if it had a body: "softmax > Exp".
  void find_parts() {
    std::map<std::string, std::size_t, std::less<>> makes_part_of;  ///< by tensor between parts, the operator
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      OptimisedNode& node = nodes_[i];
      std::optional<std::size_t> whole;
      for (const std::string& output : node.executed.outputs) {
        if (const auto found = makes_part_of.find(output); found != makes_part_of.end()) whole = found->second;
        if (const auto id = meanings_.of(output); id && !whole) whole = model_.producer(*id);
      }
      const bool reads_part = std::any_of(node.inputs.begin(), node.inputs.end(), is_between_parts);
      const bool makes_part = std::any_of(node.executed.outputs.begin(), node.executed.outputs.end(), is_between_parts);
      if (!whole || (!reads_part && !makes_part)) continue;
      for (const std::string& input : node.inputs)
        if (is_between_parts(input)) makes_part_of.emplace(input, *whole);
      is_claimed_[*whole] = true;
      parts_.insert(i);
      node.executed.name = model_.graph.ops[*whole].name + " > " + node.executed.type;
    }
  }

 private:
  static bool is_between_parts(const std::string& tensor) { return tensor.find("_inlfunc_") != std::string::npos; }
  bool is_part(std::size_t node) const { return parts_.contains(node); }

  /// From what the node makes back to what other nodes make.
  Group group_of(const OptimisedNode& node) const {
    std::vector<TensorId> open;
    for (const std::string& output : node.executed.outputs)
      if (const auto id = meanings_.of(output); id && !is_read(node, *id)) open.push_back(*id);
    Group group;
    while (!open.empty()) {
      const TensorId id = open.back();
      open.pop_back();
      const auto producer = model_.producer(id);
      if (!producer || is_claimed_[*producer] || !group.insert(*producer).second) continue;
      for (const TensorId input : model_.graph.ops[*producer].inputs)
        if (input != no_tensor && !model_.graph.tensor(input).is_constant &&
            !border_.contains(model_.same[index(input)]))
          open.push_back(input);
    }
    return group;
  }

  /// A node that makes what it reads computes nothing.
  bool is_read(const OptimisedNode& node, TensorId id) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
      const auto read = meanings_.of(input);
      return read && model_.are_same(*read, id);
    });
  }

  /// The operator that the node is; nullopt where none of the group is of its kind.
  std::optional<std::size_t> leader_of(std::size_t node, const Group& group) const {
    const std::string& kernel = nodes_[node].executed.type;
    if (const auto main = meanings_.main_op(node); main && group.contains(*main)) return main;
    if (group.size() == 1) return *group.begin();
    for (const std::size_t op : group)
      if (computes(kernel, model_.graph.ops[op].type)) return op;
    // A product may become one of another name: MatMul and Add a Gemm, a scale a Conv.
    static constexpr std::array<std::string_view, 4> products{"Conv", "Gemm", "MatMul", "MatMulInteger"};
    const auto is_product = [](std::string_view type) {
      return std::any_of(products.begin(), products.end(), [&](auto product) { return computes(type, product); });
    };
    if (is_product(kernel))
      for (const std::size_t op : group)
        if (is_product(model_.graph.ops[op].type)) return op;
    return std::nullopt;
  }

  std::vector<OptimisedNode>& nodes_;
  ModelTensors model_;
  TensorMeanings meanings_;
  std::vector<bool> is_claimed_;
  std::set<std::size_t> parts_;  ///< nodes that are parts of an operator
  std::set<TensorId> border_;    ///< what nodes read and make, each value once
};

}  // namespace

void assign_fusion_groups(std::vector<OptimisedNode>& nodes, const Graph& graph) {
  FusionGroups groups(nodes, graph);
  groups.find_parts();
  for (std::size_t i = 0; i < nodes.size(); ++i) groups.assign(i);
}

}  // namespace takt::ort
