// From OpenVINO's executed nodes to takt's OpSamples: what ran, when in the last inference, and for which model
// operators.
#pragma once

#include <map>
#include <openvino/core/model.hpp>
#include <openvino/runtime/profiling_info.hpp>
#include <string>
#include <vector>

#include "runtime/runtime.h"

namespace takt::openvino {

/// What does not change between inferences, by the name of the runtime's node (times are zero).
using NodeTable = std::map<std::string, OpSample>;

/// Joins the runtime's own graph to the model's operators through "originalLayersNames", the fusion groups.
NodeTable describe_nodes(const ov::Model& runtime_model, const Graph* graph);

/// Nodes of the inference that ran in [begin, end] (system clock) and took `wall`. CPU counters are running averages
/// over all inferences, but start stamps are those of the last one: a node ends where the next begins, the last one at
/// `end`. Where a device gives no stamps (GPU), its reported times are laid end to end. Σ duration ≤ wall always.
std::vector<OpSample> time_nodes(const std::vector<ov::ProfilingInfo>& counters, const NodeTable& nodes,
                                 Nanoseconds begin, Nanoseconds end, Nanoseconds wall);

/// The sums over what time_nodes() gives, without making it.
OpTotals total_nodes(const std::vector<ov::ProfilingInfo>& counters, const NodeTable& nodes, Nanoseconds begin,
                     Nanoseconds end, Nanoseconds wall);

}  // namespace takt::openvino
