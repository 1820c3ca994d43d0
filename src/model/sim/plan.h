// What a simulated device does in one inference: the operators of the graph in order, each with the time of its law.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/runtime/runtime.h"
#include "model/sim/device_description.h"

namespace takt {

/// The graph with the inputs' open dimensions filled in, wherever their symbols appear; symbols that stay open remain.
Graph with_input_shapes(const Graph& graph, const std::map<std::string, Shape>& input_shapes, std::string_view where);

/// One sample per operator that is not a constant, in execution order, laid end to end from 0, without noise. Throws
/// Error(unsupported) naming the first operator that the device refuses.
std::vector<OpSample> plan_ops(const Graph& graph, const DeviceDescription& device, std::string_view where);

}  // namespace takt
