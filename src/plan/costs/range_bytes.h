// How many bytes go into a range of stages and come out of it: what the regression of bandwidths calls its size.
#pragma once

#include <cstdint>

#include "plan/gnn/edge_list.h"
#include "plan/gnn/network.h"

namespace takt {

/// Returns the bytes of all inputs and outputs together; features and counts take 4 bytes whatever the model's
/// precision (so that the sizes of all devices are the same), indices 8. The one number `num_nodes` is not counted.
/// `features` of a node before and after the layer.
std::int64_t bytes_of(const StageRange& range, const GraphSize& size, std::int64_t features);

}  // namespace takt
