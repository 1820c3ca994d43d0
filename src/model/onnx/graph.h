// From the graph in an ONNX file to takt's Graph: names to numbers, order, shapes, subgraphs.
#pragma once

#include <map>
#include <string>

#include "model/graph/graph.h"
#include "model/onnx/file.h"

namespace onnx {
class GraphProto;
}

namespace takt {

/// Names that a subgraph sees from the graphs around it; the tensors live as long as the enclosing read.
struct OuterScope {
  const OuterScope* parent = nullptr;
  const std::map<std::string, TensorId>* names = nullptr;
  const std::vector<Tensor>* tensors = nullptr;

  const Tensor* find(const std::string& name) const;  ///< innermost first; nullptr if there is none
};

/// Fills everything but opsets, ir_version and path. Throws Error(bad_input) as read_onnx says.
Graph read_graph(const onnx::GraphProto& proto, const ModelPlace& place, const OuterScope* outer = nullptr);

}  // namespace takt
