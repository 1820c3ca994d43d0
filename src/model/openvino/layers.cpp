#include "model/openvino/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <openvino/core/node.hpp>
#include <set>
#include <vector>

#include "model/openvino/tensors.h"

namespace takt::openvino {
namespace {

/// Layers up to an operator's inputs are the operator's: operators come in the order in which they run, so those
/// before it have theirs already.
class LayerNamer {
 public:
  LayerNamer(const ov::Model& model, const Graph& graph) : index_(&graph), graph_(graph) {
    const auto nodes = model.get_ordered_ops();
    for (const bool has_names : {true, false})  // a name that the file gives wins over one that is made up
      for (const auto& node : nodes)
        for (const auto& output : node->outputs())
          if (output.get_names().empty() != has_names)
            for (const auto& name : tensor_names(output)) makers_.emplace(name, node.get());
  }

  void name() {
    for (const auto& op : graph_.ops) {
      int named = 0;
      for (const auto output : op.outputs)
        if (output != no_tensor)
          if (const auto maker = makers_.find(graph_.tensor(output).name); maker != makers_.end())
            claim(*maker->second, op, named);
    }
  }

 private:
  void claim(ov::Node& last, const Op& op, int& named) {
    std::vector<ov::Node*> open{&last};
    while (!open.empty()) {
      ov::Node& node = *open.back();
      open.pop_back();
      const std::string_view type = node.get_type_name();
      if (type == "Parameter" || type == "Constant" || !claimed_.insert(&node).second) continue;
      // A number may by chance read like the name of another operator.
      if (index_.find(node.get_friendly_name()) != &op)
        node.set_friendly_name(fmt::format("{}/{}_{}", op.name, type, named++));
      for (const auto& input : node.input_values()) open.push_back(input.get_node());
    }
  }

  OpIndex index_;
  const Graph& graph_;
  std::map<std::string, ov::Node*> makers_;  ///< of the model's tensors
  std::set<const ov::Node*> claimed_;
};

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

OpIndex::OpIndex(const Graph* graph) {
  if (!graph) return;
  for (const auto& op : graph->ops)
    for (const auto output : op.outputs) {
      if (output == no_tensor) continue;
      const auto& tensor = graph->tensor(output).name;
      by_name_.emplace(tensor, &op);
      by_name_.emplace(op.name + "_" + tensor, &op);
    }
  // Operator names win over tensor names that read the same.
  for (const auto& op : graph->ops) by_name_[op.name] = &op;
}

const Op* OpIndex::find(std::string_view layer) const {
  for (;;) {
    if (const auto found = by_name_.find(layer); found != by_name_.end()) return found->second;
    const auto dot = layer.rfind('.'), slash = layer.rfind('/');
    if (dot != std::string_view::npos && is_number(layer.substr(dot + 1))) {
      layer = layer.substr(0, dot);
    } else if (slash != std::string_view::npos && slash != 0) {
      layer = layer.substr(0, slash);
    } else {
      return nullptr;
    }
  }
}

void name_layers(const ov::Model& model, const Graph& graph) { LayerNamer(model, graph).name(); }

}  // namespace takt::openvino
