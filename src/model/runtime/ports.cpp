#include "model/runtime/ports.h"

namespace takt {

std::vector<Port> ports_of(const Graph& graph, const std::vector<TensorId>& ids) {
  std::vector<Port> ports;
  for (const auto id : ids) {
    const auto& tensor = graph.tensor(id);
    ports.push_back({tensor.name, tensor.type, tensor.shape.value_or(PartialShape{})});
  }
  return ports;
}

}  // namespace takt
