#include "model/graph/same_values.h"

#include <map>
#include <numeric>
#include <tuple>

#include "base/basics/index.h"
#include "model/graph/run_order.h"

namespace takt {
namespace {

using ConstantKey = std::tuple<ElementType, Shape, std::vector<std::int64_t>>;
using OpKey =
    std::tuple<std::string, std::string, std::map<std::string, Attribute>, std::vector<TensorId>, std::size_t>;

void join_constants(const Graph& graph, std::vector<TensorId>& same) {
  std::map<ConstantKey, TensorId> seen;
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const Tensor& tensor = graph.tensors[i];
    const auto shape = tensor.shape ? concrete(*tensor.shape) : std::nullopt;
    if (!tensor.is_constant || !tensor.integers || !shape) continue;
    const auto id = static_cast<TensorId>(i);
    same[i] = seen.emplace(ConstantKey(tensor.type, *shape, *tensor.integers), id).first->second;
  }
}

}  // namespace

std::vector<TensorId> same_values(const Graph& graph) {
  std::vector<TensorId> same(graph.tensors.size());
  std::iota(same.begin(), same.end(), 0);
  join_constants(graph, same);
  std::map<OpKey, TensorId> seen;
  for (const Op& op : graph.ops) {
    if (!op.subgraphs.empty() || draws_random_numbers(op)) continue;
    std::vector<TensorId> inputs;
    for (const TensorId id : op.inputs) inputs.push_back(id == no_tensor ? id : same[index(id)]);
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      const TensorId id = op.outputs[i];
      if (id == no_tensor || graph.tensor(id).integers) continue;
      same[index(id)] = seen.emplace(OpKey(op.domain, op.type, op.attributes, inputs, i), id).first->second;
    }
  }
  return same;
}

}  // namespace takt
