#include "model/openvino/node_groups.h"

#include <algorithm>
#include <openvino/core/node.hpp>
#include <set>
#include <tuple>

#include "base/basics/text.h"

namespace takt::openvino {
namespace {

using Ops = std::vector<const Op*>;

/// How much of an operator's work a node of this layer type is likely to be.
enum class Weight { moves, light, heavy };

Weight weight_of(std::string_view layer_type) {
  static const std::set<std::string_view> heavy{"Convolution",
                                                "Deconvolution",
                                                "FullyConnected",
                                                "MatMul",
                                                "RNNSeq",
                                                "RNNCell",
                                                "ScaledDotProductAttention",
                                                "MHA",
                                                "QKVProjection",
                                                "LLMMLP",
                                                "TensorIterator",
                                                "Loop",
                                                "If",
                                                "GatherMatmul",
                                                "PagedAttention",
                                                "BinaryConvolution",
                                                "DeformableConvolution",
                                                "LSTMSequence",
                                                "GRUSequence",
                                                "RNNSequence"};
  static const std::set<std::string_view> movers{"Reorder", "Transpose",    "Reshape", "Concatenation", "Split",
                                                 "Convert", "Broadcast",    "Tile",    "Gather",        "ShapeOf",
                                                 "Memory",  "StridedSlice", "Pad",     "MemoryInput",   "MemoryOutput"};
  if (heavy.contains(layer_type)) return Weight::heavy;
  return movers.contains(layer_type) ? Weight::moves : Weight::light;
}

bool is_heavy(const Op& op) {
  static const std::set<std::string_view> heavy{"Conv",
                                                "ConvTranspose",
                                                "MatMul",
                                                "Gemm",
                                                "LSTM",
                                                "GRU",
                                                "Attention",
                                                "QLinearConv",
                                                "RNN",
                                                "Einsum",
                                                "ConvInteger",
                                                "MultiHeadAttention",
                                                "MatMulInteger",
                                                "GroupQueryAttention",
                                                "QLinearMatMul",
                                                "MatMulNBits",
                                                "Loop",
                                                "Scan",
                                                "If",
                                                "DeformConv"};
  return heavy.contains(op.type);
}

/// A node's claim to an operator: by what it computes; of two alike, by which of them finishes the operator.
struct Owner {
  const ov::Node* node = nullptr;
  Weight weight = Weight::moves;
  bool finishes = false;  ///< the layer that has the operator's own name is in it

  bool operator<(const Owner& other) const {
    return std::tie(weight, finishes) < std::tie(other.weight, other.finishes);
  }
};

class Grouping {
 public:
  Grouping(const ov::Model& runtime_model, const Graph& graph)
      : index_(&graph), nodes_(runtime_model.get_ordered_ops()) {}

  std::map<const ov::Node*, NodeGroup> groups() {
    for (const auto& node : nodes_) read_names(*node);
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) look_ahead(**node);
    for (const auto& node : nodes_) choose_owners(*node);
    std::map<const ov::Node*, NodeGroup> groups;
    for (const auto& node : nodes_) groups.emplace(node.get(), settled(*node));
    return groups;
  }

 private:
  void read_names(const ov::Node& node) {
    Ops& ops = ops_[&node];
    for (const auto& layer : split(text_of(node, "originalLayersNames"), ',')) {
      const Op* op = index_.find(layer);
      if (op && std::find(ops.begin(), ops.end(), op) == ops.end()) ops.push_back(op);
      if (op && index_.is_name(layer)) finished_.emplace(&node, op);
    }
  }

  /// In reverse order: what the node leads to, and its own operators where its layers have no name of the model.
  void look_ahead(const ov::Node& node) {
    Ops& ops = ops_[&node];
    if (!ops.empty()) {
      leads_to_[&node] = dominant(ops);
      return;
    }
    const Op* next = next_of(node);
    leads_to_[&node] = next;
    const auto type = text_of(node, "layerType");
    const bool is_made = !text_of(node, "originalLayersNames").empty();  // not a change of layout between two others
    if (!next || !is_made || type == "Input" || type == "Output" || type == "Const") return;
    if (weight_of(type) != Weight::heavy || is_heavy(*next)) ops.push_back(next);
  }

  /// The one operator that all known nodes behind this one serve.
  const Op* next_of(const ov::Node& node) const {
    const Op* next = nullptr;
    for (const auto& output : node.outputs())
      for (const auto& input : output.get_target_inputs()) {
        const auto found = leads_to_.find(input.get_node());
        if (found == leads_to_.end() || !found->second) continue;
        if (next && next != found->second) return nullptr;
        next = found->second;
      }
    return next;
  }

  void choose_owners(const ov::Node& node) {
    const auto weight = weight_of(text_of(node, "layerType"));
    for (const auto* op : ops_.at(&node)) {
      const Owner claim{&node, weight, finished_.contains({&node, op})};
      const auto [owner, is_new] = owners_.emplace(op, claim);
      if (!is_new && owner->second < claim) owner->second = claim;
    }
  }

  Ops owned_by(const ov::Node& node) const {
    Ops owned;
    for (const auto* op : ops_.at(&node))
      if (owners_.at(op).node == &node) owned.push_back(op);
    return owned;
  }

  NodeGroup settled(const ov::Node& node) const {
    if (auto owned = owned_by(node); !owned.empty()) return {std::move(owned), &node};
    const ov::Node* owner = nullptr;
    for (const auto* op : ops_.at(&node)) {
      const auto* one = owners_.at(op).node;
      if (owner && owner != one) return {{}, &node};  // between two rows, and of neither
      owner = one;
    }
    return owner ? NodeGroup{owned_by(*owner), owner} : NodeGroup{{}, &node};
  }

  OpIndex index_;
  ov::NodeVector nodes_;  ///< in order of execution
  std::map<const ov::Node*, Ops> ops_;
  std::map<const ov::Node*, const Op*> leads_to_;
  std::set<std::pair<const ov::Node*, const Op*>> finished_;
  std::map<const Op*, Owner> owners_;
};

}  // namespace

bool is_heavy_layer(std::string_view layer_type) { return weight_of(layer_type) == Weight::heavy; }

std::string text_of(const ov::Node& node, const std::string& key) {
  const auto& information = node.get_rt_info();
  const auto found = information.find(key);
  return found == information.end() ? std::string() : found->second.as<std::string>();
}

std::map<const ov::Node*, NodeGroup> group_nodes(const ov::Model& runtime_model, const Graph* graph) {
  if (graph) return Grouping(runtime_model, *graph).groups();
  std::map<const ov::Node*, NodeGroup> groups;
  for (const auto& node : runtime_model.get_ordered_ops()) groups.emplace(node.get(), NodeGroup{{}, node.get()});
  return groups;
}

const Op* dominant(const std::vector<const Op*>& ops) {
  for (const auto* op : ops)
    if (is_heavy(*op)) return op;
  return ops.empty() ? nullptr : ops.front();
}

}  // namespace takt::openvino
