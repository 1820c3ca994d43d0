// From OpenVINO's executed nodes to takt's OpSamples: what ran, when in the last inference, and for which model
// operators.
#pragma once

#include <map>
#include <memory>
#include <openvino/core/model.hpp>
#include <openvino/runtime/profiling_info.hpp>
#include <string>
#include <vector>

#include "model/openvino/node_times.h"
#include "model/runtime/runtime.h"

namespace takt::openvino {

/// The type that most of the nodes compute in which have most of a model's work (convolutions, products, recurrences),
/// as the nodes say themselves; nullopt: none of them does.
std::optional<ElementType> most_computed_in(const ov::Model& runtime_model);

/// What does not change between inferences, by the name of the runtime's node.
using NodeTable = std::map<std::string, std::shared_ptr<const ExecutedNode>>;

/// Joins the runtime's own graph to the model's operators (node_groups.h). Nodes of one row have the same name here.
NodeTable describe_nodes(const ov::Model& runtime_model, const Graph* graph);

/// Nodes of the inference that was `call`, with times as `clock`, the request's own, tells them. Σ duration ≤ wall
/// always.
std::vector<OpSample> time_nodes(const std::vector<ov::ProfilingInfo>& counters, const NodeTable& nodes,
                                 const TimedCall& call, NodeClock& clock);

/// The sums over what time_nodes() gives, without making it.
OpTotals total_nodes(const std::vector<ov::ProfilingInfo>& counters, const NodeTable& nodes, const TimedCall& call,
                     NodeClock& clock);

}  // namespace takt::openvino
