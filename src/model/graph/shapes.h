// Shapes that somebody else knows (a runtime that inferred them), put into a graph.
#pragma once

#include <map>
#include <string>

#include "model/graph/graph.h"

namespace takt {

/// A copy in which each named tensor has the given shape, and its bytes anew. Names that the graph does not have are
/// passed over; constants keep the shape of their data. Subgraphs get the shapes of the tensors that they capture.
Graph with_shapes(const Graph& graph, const std::map<std::string, PartialShape>& shapes);

}  // namespace takt
