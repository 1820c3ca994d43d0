#include "model/graph/shapes.h"

#include "model/graph/types.h"

namespace takt {
namespace {

void apply(Graph& graph, const std::map<std::string, PartialShape>& shapes, bool captured_only) {
  for (Tensor& tensor : graph.tensors) {
    if (tensor.is_constant || (captured_only && !tensor.is_captured)) continue;
    const auto found = shapes.find(tensor.name);
    if (found == shapes.end()) continue;
    tensor.shape = found->second;
    tensor.bytes = byte_count(tensor.type, tensor.shape);
  }
  for (Op& op : graph.ops) {
    for (auto& [name, subgraph] : op.subgraphs) {
      auto copy = std::make_shared<Graph>(*subgraph);
      apply(*copy, shapes, true);  // a name that is the subgraph's own may be another tensor outside
      subgraph = std::move(copy);
    }
  }
}

}  // namespace

Graph with_shapes(const Graph& graph, const std::map<std::string, PartialShape>& shapes) {
  Graph copy = graph;
  infer_types(copy);
  apply(copy, shapes, false);
  return copy;
}

}  // namespace takt
