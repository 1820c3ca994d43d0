// The operators of a model with those in the bodies of its If, Loop and Scan, each by a name that is unique.
#pragma once

#include <string>
#include <vector>

#include "model/graph/graph.h"

namespace takt {

struct PlacedOp {
  std::string path;  ///< "conv"; in a body "loop > conv", or "choice.else_branch > conv" where two bodies have a conv
  const Op* op = nullptr;
  const Graph* graph = nullptr;  ///< that it is in
};

/// Each operator, behind it those of its bodies, in the order of the file. Refers to `graph`: keep it alive.
std::vector<PlacedOp> placed_ops(const Graph& graph);

/// The path of `inner`, which is in the body `body` of `outer`, an operator with the path `outer_path`.
std::string body_path(const std::string& outer_path, const Op& outer, const std::string& body,
                      const std::string& inner);

}  // namespace takt
