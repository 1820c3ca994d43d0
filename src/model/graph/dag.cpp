#include "model/graph/dag.h"

#include <algorithm>
#include <map>
#include <string>

namespace takt {
namespace {

// Every tensor of the graph that an operator reads, itself or through its subgraphs; in order, without repeats.
std::vector<TensorId> tensors_read_by(const Op& op, const std::map<std::string, TensorId>& ids) {
  std::vector<TensorId> read;
  for (const TensorId id : op.inputs) {
    if (id != no_tensor) read.push_back(id);
  }
  for (const auto& [name, subgraph] : op.subgraphs) {
    for (const Tensor& tensor : subgraph->tensors) {
      if (!tensor.is_captured) continue;
      const auto found = ids.find(tensor.name);
      if (found != ids.end()) read.push_back(found->second);
    }
  }
  std::sort(read.begin(), read.end());
  read.erase(std::unique(read.begin(), read.end()), read.end());
  return read;
}

bool has_subgraphs(const Graph& graph) {
  return std::any_of(graph.ops.begin(), graph.ops.end(), [](const Op& op) { return !op.subgraphs.empty(); });
}

void sort_unique(std::vector<int>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

std::vector<std::vector<TensorId>> read_tensors(const Graph& graph) {
  std::map<std::string, TensorId> ids;
  if (has_subgraphs(graph)) {
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) ids.emplace(graph.tensors[i].name, static_cast<TensorId>(i));
  }
  std::vector<std::vector<TensorId>> read;
  read.reserve(graph.ops.size());
  for (const Op& op : graph.ops) read.push_back(tensors_read_by(op, ids));
  return read;
}

Dag build_dag(const Graph& graph) {
  std::vector<int> producer(graph.tensors.size(), -1);
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    for (const TensorId id : graph.ops[i].outputs) {
      if (id != no_tensor) producer[static_cast<std::size_t>(id)] = static_cast<int>(i);
    }
  }
  const auto read = read_tensors(graph);
  Dag dag;
  dag.producers.resize(graph.ops.size());
  dag.consumers.resize(graph.ops.size());
  for (std::size_t to = 0; to < graph.ops.size(); ++to) {
    for (const TensorId id : read[to]) {
      const int from = producer[static_cast<std::size_t>(id)];
      if (from < 0) continue;
      dag.producers[to].push_back(from);
      dag.consumers[static_cast<std::size_t>(from)].push_back(static_cast<int>(to));
    }
  }
  for (auto* lists : {&dag.producers, &dag.consumers}) std::for_each(lists->begin(), lists->end(), sort_unique);
  return dag;
}

}  // namespace takt
