#include "runtime/onnxruntime/fusion_groups.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace takt::ort {
namespace {

/// The model's operators by the tensors that they make.
struct Producers {
  explicit Producers(const Graph& g) : graph(g) {
    for (std::size_t i = 0; i < g.ops.size(); ++i)
      for (const auto id : g.ops[i].outputs)
        if (id != no_tensor) by_tensor.emplace(g.tensor(id).name, i);
  }
  const Graph& graph;
  std::map<std::string, std::size_t, std::less<>> by_tensor;
};

bool is_reorder(const OpSample& node) { return node.type == "ReorderInput" || node.type == "ReorderOutput"; }

// Layout changes and views that fusions leave around the kernel that does the work.
bool is_wrapping(const OpSample& node) {
  static constexpr std::array<std::string_view, 5> types{"Reshape", "Transpose", "Squeeze", "Unsqueeze", "Cast"};
  return std::find(types.begin(), types.end(), node.type) != types.end();
}

/// "TENSOR_nchwc" → TENSOR; a scale that became a blocked convolution is called "TENSOR_bn_nchwc" or
/// "TENSOR_mul_nchwc".
std::optional<std::string> blocked_tensor(const std::string& node_name, const Producers& producers) {
  const auto suffix = node_name.rfind("_nchwc");
  if (suffix == std::string::npos) return std::nullopt;
  const std::string name = node_name.substr(0, suffix);
  for (const std::string_view origin : {"", "_bn", "_mul"})
    if (name.ends_with(origin)) {
      const std::string tensor = name.substr(0, name.size() - origin.size());
      if (producers.by_tensor.count(tensor)) return tensor;
    }
  return std::nullopt;
}

/// The model's tensors that a node makes. A blocked (nchwc) node makes new ones, but carries the name of the old one:
/// "TENSOR_nchwc", with "_token_N" behind it where that name was taken.
std::vector<std::string> anchors(const OpSample& node, const Producers& producers) {
  if (is_reorder(node)) return {};
  std::vector<std::string> result;
  for (const auto& output : node.outputs)
    if (producers.by_tensor.count(output)) result.push_back(output);
  if (!result.empty()) return result;
  if (const auto tensor = blocked_tensor(node.name, producers)) result.push_back(*tensor);
  // A node that was kept, but between blocked ones, makes a blocked tensor; its own name is still the model's.
  if (result.empty())
    for (const auto& op : producers.graph.ops)
      if (op.name == node.name && op.type == node.type)
        for (const auto id : op.outputs)
          if (id != no_tensor) result.push_back(producers.graph.tensor(id).name);
  return result;
}

/// Operators from `tensor` back to the tensors in `border`, in the model's order.
std::set<std::size_t> walk_back(const std::vector<std::string>& from, const std::set<std::string>& border,
                                const Producers& producers) {
  std::set<std::size_t> group;
  std::vector<std::string> open = from;
  while (!open.empty()) {
    const auto found = producers.by_tensor.find(open.back());
    open.pop_back();
    if (found == producers.by_tensor.end() || !group.insert(found->second).second) continue;
    for (const auto id : producers.graph.ops[found->second].inputs) {
      if (id == no_tensor) continue;
      const auto& tensor = producers.graph.tensor(id);
      if (!tensor.is_constant && !border.count(tensor.name)) open.push_back(tensor.name);
    }
  }
  return group;
}

const Op* dominant(const std::set<std::size_t>& group, const Graph& graph) {
  static constexpr std::array<std::string_view, 9> heavy{"Conv", "ConvTranspose", "MatMul", "Gemm",  "LSTM",
                                                         "GRU",  "Attention",     "RNN",    "Einsum"};
  for (const auto index : group)
    if (std::find(heavy.begin(), heavy.end(), graph.ops[index].type) != heavy.end()) return &graph.ops[index];
  return nullptr;
}

// MatMul+Add becomes Reshape, Gemm, Reshape, and only the last makes a tensor of the model: the group belongs to the
// node before it that makes none.
std::size_t worker_of(const std::vector<OpSample>& nodes, std::size_t index,
                      const std::vector<std::vector<std::string>>& anchored) {
  if (!is_wrapping(nodes[index])) return index;
  for (std::size_t i = index; i-- > 0;)
    for (const auto& output : nodes[i].outputs)
      if (std::find(nodes[index].inputs.begin(), nodes[index].inputs.end(), output) != nodes[index].inputs.end())
        return anchored[i].empty() && !is_reorder(nodes[i]) ? i : index;
  return index;
}

}  // namespace

void assign_fusion_groups(std::vector<OpSample>& nodes, const Graph& graph) {
  const Producers producers(graph);
  std::vector<std::vector<std::string>> anchored;
  std::set<std::string> border;
  for (const auto& node : nodes) {
    anchored.push_back(anchors(node, producers));
    border.insert(anchored.back().begin(), anchored.back().end());
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (anchored[i].empty()) continue;
    const auto group = walk_back(anchored[i], border, producers);
    const Op* main = dominant(group, graph);
    auto& node = nodes[main ? worker_of(nodes, i, anchored) : i];
    for (const auto index : group) node.model_ops.push_back(graph.ops[index].name);
    if (main)
      node.type = main->type;
    else if (group.size() == 1)
      node.type = graph.ops[*group.begin()].type;
  }
}

}  // namespace takt::ort
