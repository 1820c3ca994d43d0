// Which operators of the model each node of OpenVINO's own graph stands for.
//
// A node tells the layers that it was made of ("originalLayersNames"), and layers have the names of operators
// (layers.h). That leaves two questions. What the plugin made anew, when it took an attention or a bidirectional
// sequence apart, has a number for a name: it is a step towards the next node that is known, so it belongs to that
// one's operator. And an operator that several nodes were made
// of has one owner, the node that computes it; nodes that do nothing but parts of it join the owner's row, so that the
// operator's time and its work stand together: a GRU in two directions is both sequences, and their concatenation.
// Both answers come from the graph alone, never from measured times: the same model has the same groups in every run.
#pragma once

#include <map>
#include <openvino/core/model.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/openvino/layers.h"

namespace takt::openvino {

/// A value that the runtime tells of a node, "" where it does not.
std::string text_of(const ov::Node& node, const std::string& key);

struct NodeGroup {
  std::vector<const Op*> ops;  ///< in the order told; no operator is in the groups of two owners
  const ov::Node* owner{};     ///< the node whose row this node's time is in; itself, or another one with these `ops`
};

/// Returns the group of every node of `runtime_model`; without a graph all groups are empty.
std::map<const ov::Node*, NodeGroup> group_nodes(const ov::Model& runtime_model, const Graph* graph);

/// Whether nodes of this layer type have most of an operator's work: convolutions, products, recurrences, attention.
bool is_heavy_layer(std::string_view layer_type);

/// The operator that a fused kernel is named after: the heaviest kind present, else the first; nullptr for none.
const Op* dominant(const std::vector<const Op*>& ops);

}  // namespace takt::openvino
