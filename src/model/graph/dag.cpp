#include "model/graph/dag.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

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

// A quoted string of the DOT language. Only the quote and the backslash are special in it; line ends break the label.
std::string dot_quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      quoted += c;
    }
  }
  return quoted + '"';
}

nlohmann::ordered_json names_of(const Graph& graph, const std::vector<TensorId>& ids) {
  auto names = nlohmann::ordered_json::array();
  for (const TensorId id : ids) names.push_back(id == no_tensor ? "" : graph.tensor(id).name);
  return names;
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
      dag.edges.push_back({from, static_cast<int>(to), id});
      dag.producers[to].push_back(from);
      dag.consumers[static_cast<std::size_t>(from)].push_back(static_cast<int>(to));
    }
  }
  for (auto* lists : {&dag.producers, &dag.consumers}) std::for_each(lists->begin(), lists->end(), sort_unique);
  std::sort(dag.edges.begin(), dag.edges.end(), [](const Dag::Edge& a, const Dag::Edge& b) {
    return std::tie(a.to, a.from, a.tensor) < std::tie(b.to, b.from, b.tensor);
  });
  return dag;
}

std::string to_graphviz(const Graph& graph, const Dag& dag) {
  std::string text = "digraph " + dot_quote(graph.name) + " {\n  node [shape=box];\n";
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    text += "  op" + std::to_string(i) + " [label=" + dot_quote(op.name + "\n" + op.type) + "];\n";
  }
  for (const Dag::Edge& edge : dag.edges) {
    const Tensor& tensor = graph.tensor(edge.tensor);
    const std::string label = tensor.name + (tensor.shape ? "\n" + to_string(*tensor.shape) : "");
    text += "  op" + std::to_string(edge.from) + " -> op" + std::to_string(edge.to) + " [label=" + dot_quote(label) +
            "];\n";
  }
  return text + "}\n";
}

std::string to_json(const Graph& graph, const Dag& dag) {
  nlohmann::ordered_json document;
  document["name"] = graph.name;
  document["ops"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    nlohmann::ordered_json item;
    item["name"] = op.name;
    item["type"] = op.type;
    item["domain"] = op.domain;
    item["inputs"] = names_of(graph, op.inputs);
    item["outputs"] = names_of(graph, op.outputs);
    item["producers"] = dag.producers[i];
    document["ops"].push_back(std::move(item));
  }
  document["edges"] = nlohmann::ordered_json::array();
  for (const Dag::Edge& edge : dag.edges) {
    const Tensor& tensor = graph.tensor(edge.tensor);
    nlohmann::ordered_json item;
    item["from"] = edge.from;
    item["to"] = edge.to;
    item["tensor"] = tensor.name;
    item["shape"] = tensor.shape ? nlohmann::ordered_json(to_string(*tensor.shape)) : nlohmann::ordered_json(nullptr);
    document["edges"].push_back(std::move(item));
  }
  // Names come from a file and need not be UTF-8.
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace takt
